import CLZ4

/// Compresses short texts that repeat themselves, such as JSON, in a few microseconds.
enum LZ4 {
    /// - Parameter content: at most 1 GiB.
    /// - Returns: nil if the content does not become smaller.
    static func compress(_ content: [UInt8]) -> [UInt8]? {
        guard let size = Int32(exactly: content.count), size > 0 else { return nil }
        var compressed = [UInt8](repeating: 0, count: content.count)
        let count = content.withUnsafeBytes { content in
            compressed.withUnsafeMutableBytes { compressed in
                // Zero if there is no room.
                LZ4_compress_default(
                    content.baseAddress?.assumingMemoryBound(to: CChar.self),
                    compressed.baseAddress?.assumingMemoryBound(to: CChar.self), size, size - 1)
            }
        }
        guard count > 0 else { return nil }
        compressed.removeLast(compressed.count - Int(count))
        return compressed
    }

    /// - Parameter size: of the content, as it was before `compress`.
    /// - Returns: nil if this is not what `compress` made of so many bytes.
    static func decompress(_ compressed: ArraySlice<UInt8>, size: Int) -> [UInt8]? {
        guard let capacity = Int32(exactly: size), capacity >= 0,
            let compressedSize = Int32(exactly: compressed.count)
        else { return nil }
        var content = [UInt8](repeating: 0, count: size)
        let count = compressed.withUnsafeBytes { compressed in
            content.withUnsafeMutableBytes { content in
                LZ4_decompress_safe(
                    compressed.baseAddress?.assumingMemoryBound(to: CChar.self),
                    content.baseAddress?.assumingMemoryBound(to: CChar.self), compressedSize,
                    capacity)
            }
        }
        return count == capacity ? content : nil
    }
}
