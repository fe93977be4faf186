import CSodium

/// Encrypts and authenticates stored responses (libsodium's secretbox). The key is derived from the
/// client's secrets and is not stored, so that only the client can read its response.
public enum SealedBox {
    /// Encrypts content.
    /// - Parameter key: a key derived from secrets of the client.
    public static func seal(
        _ content: [UInt8], key: SecretHash, _ environment: Environment
    ) -> [UInt8] {
        let nonce = (0..<3).flatMap { _ in
            withUnsafeBytes(of: environment.random()) { Array($0) }
        }
        var box = [UInt8](repeating: 0, count: content.count + Int(crypto_secretbox_MACBYTES))
        crypto_secretbox_easy(&box, content, UInt64(content.count), nonce, key.bytes)
        return nonce + box
    }

    /// Decrypts a box.
    /// - Returns: nil if the box was sealed with another key or has been changed.
    public static func open(_ box: [UInt8], key: SecretHash) -> [UInt8]? {
        let nonce = Array(box.prefix(24))
        let sealed = Array(box.dropFirst(24))
        guard nonce.count == 24, sealed.count >= Int(crypto_secretbox_MACBYTES) else { return nil }
        var content = [UInt8](repeating: 0, count: sealed.count - Int(crypto_secretbox_MACBYTES))
        let status = crypto_secretbox_open_easy(
            &content, sealed, UInt64(sealed.count), nonce, key.bytes)
        return status == 0 ? content : nil
    }
}
