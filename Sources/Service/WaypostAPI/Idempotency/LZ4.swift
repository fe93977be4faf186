/// The decoder of the responses that an earlier version of Waypost compressed with LZ4 and a preset
/// dictionary. These responses are encrypted, so that no migration can rewrite them. They expire
/// after `--idempotency-ttl`; a later release removes this decoder.
enum LZ4 {
    /// Decompresses a block (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md), which
    /// may be damaged.
    /// - Parameters:
    ///   - size: the size of the content in bytes.
    ///   - dictionary: the text to which the first matches refer, as if the content followed it.
    /// - Returns: nil if the block is damaged or its content does not have `size` bytes.
    static func decompress(
        _ block: ArraySlice<UInt8>, size: Int, dictionary: [UInt8]
    ) -> [UInt8]? {
        var text = dictionary
        let end = dictionary.count + size
        var rest = block
        while let token = rest.popFirst() {
            guard let literals = length(token >> 4, &rest),
                literals <= min(rest.count, end - text.count)
            else { return nil }
            text += rest.prefix(literals)
            rest = rest.dropFirst(literals)
            // The last literals have no match behind them.
            guard let low = rest.popFirst() else {
                return text.count == end ? Array(text[dictionary.count...]) : nil
            }
            guard let high = rest.popFirst(), let more = length(token & 15, &rest),
                case let distance = Int(high) << 8 | Int(low),
                (1...max(text.count, 1)).contains(distance), more + 4 <= end - text.count
            else { return nil }
            // A match can overlap its copy, so that each byte is copied alone.
            for _ in 0..<more + 4 { text.append(text[text.count - distance]) }
        }
        return nil
    }

    /// Reads the rest of a length whose lowest part is in the token.
    /// - Returns: nil if the block ends before the length.
    private static func length(_ part: UInt8, _ rest: inout ArraySlice<UInt8>) -> Int? {
        var length = Int(part)
        guard part == 15 else { return length }
        while let byte = rest.popFirst() {
            length += Int(byte)
            if byte != 255 { return length }
        }
        return nil
    }
}
