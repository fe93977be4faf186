import CLZ4

/// LZ4 compression of short texts with a preset dictionary. One call takes a few microseconds.
enum LZ4 {
    /// Compresses `content`.
    /// - Parameter dictionary: text that is common in the contents to compress; at most 64 KiB.
    /// - Returns: nil if the result would not be smaller than `content`.
    static func compress(_ content: [UInt8], dictionary: [UInt8]) -> [UInt8]? {
        guard let size = Int32(exactly: content.count), size > 1,
            let stream = LZ4_createStream()
        else { return nil }
        defer { LZ4_freeStream(stream) }
        return dictionary.withMemoryRebound { dictionary in
            LZ4_loadDict(stream, dictionary.baseAddress, Int32(dictionary.count))
            // LZ4 returns 0 if the result does not fit this buffer, which has one byte less than
            // the content.
            var compressed = [UInt8](repeating: 0, count: content.count - 1)
            let count = content.withMemoryRebound { content in
                compressed.withUnsafeMutableBytes { compressed in
                    LZ4_compress_fast_continue(
                        stream, content.baseAddress,
                        compressed.baseAddress?.assumingMemoryBound(to: CChar.self), size, size - 1,
                        1)
                }
            }
            guard count > 0 else { return nil }
            compressed.removeLast(compressed.count - Int(count))
            return compressed
        }
    }

    /// Decompresses the result of `compress`.
    /// - Parameters:
    ///   - size: the size of the original content in bytes.
    ///   - dictionary: the dictionary that `compress` used.
    /// - Returns: nil if the content is corrupt or does not have `size` bytes.
    static func decompress(
        _ compressed: ArraySlice<UInt8>, size: Int, dictionary: [UInt8]
    ) -> [UInt8]? {
        guard let capacity = Int32(exactly: size), capacity >= 0,
            let compressedSize = Int32(exactly: compressed.count)
        else { return nil }
        var content = [UInt8](repeating: 0, count: size)
        let count = dictionary.withMemoryRebound { dictionary in
            compressed.withMemoryRebound { compressed in
                content.withUnsafeMutableBytes { content in
                    LZ4_decompress_safe_usingDict(
                        compressed.baseAddress,
                        content.baseAddress?.assumingMemoryBound(to: CChar.self), compressedSize,
                        capacity, dictionary.baseAddress, Int32(dictionary.count))
                }
            }
        }
        return count == capacity ? content : nil
    }
}

extension Collection<UInt8> {
    /// Calls `body` with the bytes as C characters. If the bytes are not contiguous, the method
    /// copies them first.
    fileprivate func withMemoryRebound<Value>(
        _ body: (UnsafeBufferPointer<CChar>) -> Value
    ) -> Value {
        let value = withContiguousStorageIfAvailable { bytes in
            bytes.withMemoryRebound(to: CChar.self, body)
        }
        return value ?? Array(self).withMemoryRebound(body)
    }
}
