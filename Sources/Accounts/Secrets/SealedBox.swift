import CSodium

/// Keeps a response so that only the client that got it can read it: what is stored is compressed, then
/// encrypted and authenticated (libsodium's secretbox) with a key that the client holds.
public enum SealedBox {
    /// The first byte of what is encrypted. Content that an earlier version sealed has neither.
    private enum Form {
        static let plain: UInt8 = 0
        /// Four bytes with the size of the content follow, the lowest first.
        static let compressed: UInt8 = 1
    }

    /// Content larger than this is no response to a change: a damaged size must not claim memory.
    private static let largestContent = 1 << 26

    /// - Parameter key: comes from the client, and is not stored.
    public static func seal(
        _ content: [UInt8], key: SecretHash, _ environment: Environment
    ) -> [UInt8] {
        let content = packed(content)
        let nonce = (0..<3).flatMap { _ in
            withUnsafeBytes(of: environment.random()) { Array($0) }
        }
        var box = [UInt8](repeating: 0, count: content.count + Int(crypto_secretbox_MACBYTES))
        crypto_secretbox_easy(&box, content, UInt64(content.count), nonce, key.bytes)
        return nonce + box
    }

    /// - Returns: nil if the box was sealed with another key, or has been changed.
    public static func open(_ box: [UInt8], key: SecretHash) -> [UInt8]? {
        let nonce = Array(box.prefix(24))
        let sealed = Array(box.dropFirst(24))
        guard nonce.count == 24, sealed.count >= Int(crypto_secretbox_MACBYTES) else { return nil }
        var content = [UInt8](repeating: 0, count: sealed.count - Int(crypto_secretbox_MACBYTES))
        let status = crypto_secretbox_open_easy(
            &content, sealed, UInt64(sealed.count), nonce, key.bytes)
        return status == 0 ? unpacked(content) : nil
    }

    private static func packed(_ content: [UInt8]) -> [UInt8] {
        guard content.count <= largestContent, let compressed = LZ4.compress(content) else {
            return [Form.plain] + content
        }
        let size = withUnsafeBytes(of: UInt32(content.count).littleEndian) { Array($0) }
        return [Form.compressed] + size + compressed
    }

    private static func unpacked(_ packed: [UInt8]) -> [UInt8]? {
        switch packed.first {
        case Form.plain: return Array(packed.dropFirst())
        case Form.compressed:
            let size = packed.dropFirst().prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard size <= largestContent else { return nil }
            return LZ4.decompress(packed.dropFirst(5), size: size)
        default: return packed
        }
    }
}
