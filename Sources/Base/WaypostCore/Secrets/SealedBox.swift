import CSodium

/// Encrypts and authenticates the stored responses to requests with an `Idempotency-Key`, with
/// libsodium's secretbox. The key is derived from the client's token and the `Idempotency-Key`, and
/// is not stored. A stored response can therefore be decrypted only with these two.
public enum SealedBox {
    /// Encrypts content with a new random nonce.
    /// - Parameter key: a key that is derived from the client's token and the `Idempotency-Key`.
    /// - Returns: the nonce, followed by the encrypted content.
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

    /// Decrypts a box that `seal` returned.
    /// - Returns: the content; nil if the box was encrypted with another key or has been changed.
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
