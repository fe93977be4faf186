import CLZ4

/// Compresses short texts in a few microseconds, with a dictionary of what they are made of.
enum LZ4 {
    /// - Parameter dictionary: at most 64 KiB.
    /// - Returns: nil if the content does not become smaller.
    static func compress(_ content: [UInt8], dictionary: [UInt8]) -> [UInt8]? {
        guard let size = Int32(exactly: content.count), size > 1,
            let stream = LZ4_createStream()
        else { return nil }
        defer { LZ4_freeStream(stream) }
        return dictionary.withMemoryRebound { dictionary in
            LZ4_loadDict(stream, dictionary.baseAddress, Int32(dictionary.count))
            // Room for one byte less than the content: zero is returned where that is not enough.
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

    /// - Parameters:
    ///   - size: of the content, as it was before `compress`.
    ///   - dictionary: the one that the content was compressed with.
    /// - Returns: nil if this is not what `compress` made of so many bytes.
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
    /// The bytes as C's characters, where they are in one piece of memory.
    fileprivate func withMemoryRebound<Value>(
        _ body: (UnsafeBufferPointer<CChar>) -> Value
    ) -> Value {
        let value = withContiguousStorageIfAvailable { bytes in
            bytes.withMemoryRebound(to: CChar.self, body)
        }
        return value ?? Array(self).withMemoryRebound(body)
    }
}
