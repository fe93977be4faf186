/// Percent-encoding (RFC 3986, section 2.1).
public enum PercentEncoding {
    /// Decodes percent-encoding strictly.
    /// - Returns: nil if a `%` comes without two hexadecimal digits after it, or if the decoded
    ///   bytes contain NUL or are not valid UTF-8.
    public static func decoded(_ text: Substring.UTF8View) -> String? {
        var text = Substring(text)
        return text.withUTF8 { text in
            guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == 0 }) else {
                return String(decoding: text, as: UTF8.self)
            }
            var bytes: [UInt8] = []
            var rest = text[...]
            while var byte = rest.popFirst() {
                if byte == UInt8(ascii: "%") {
                    guard let high = rest.popFirst().flatMap(hexadecimalDigit),
                        let low = rest.popFirst().flatMap(hexadecimalDigit)
                    else { return nil }
                    byte = high << 4 | low
                }
                guard byte != 0 else { return nil }
                bytes.append(byte)
            }
            return String(validating: bytes, as: UTF8.self)
        }
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    /// The bytes that stand for themselves.
    public struct Plain: Sendable {
        /// The unreserved characters: letters, digits, `-`, `.`, `_` and `~`.
        public static let unreserved = Plain("")
        /// The bytes that stand for themselves in a segment of a path: the unreserved characters,
        /// and the reserved ones that have no meaning there.
        public static let segment = Plain("!$&'()*+,;=:@")
        /// The bytes that stand for themselves in the name or the value of a query parameter.
        public static let query = Plain("!$'()*,;:@")

        /// A bit for each of the first 64 bytes, and one for each of the second 64.
        private var bits: (UInt64, UInt64) = (0, 0)

        private init(_ others: StaticString) {
            let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
            for byte in Array(letters.utf8) + Array(others.description.utf8) {
                if byte < 64 { bits.0 |= 1 << byte } else { bits.1 |= 1 << (byte - 64) }
            }
        }

        func contains(_ byte: UInt8) -> Bool {
            byte < 128 && (byte < 64 ? bits.0 >> byte : bits.1 >> (byte - 64)) & 1 == 1
        }
    }

    /// Returns a text with percent-encoding, which is the text itself if all of its bytes are plain.
    public static func encoded(_ text: String, plain: Plain) -> String {
        guard !text.utf8.allSatisfy(plain.contains) else { return text }
        var bytes: [UInt8] = []
        append(text, to: &bytes, plain: plain)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a text to another with percent-encoding.
    public static func append(_ text: String, to encoded: inout [UInt8], plain: Plain) {
        var text = text
        text.withUTF8 { bytes in
            for byte in bytes {
                if plain.contains(byte) {
                    encoded.append(byte)
                } else {
                    encoded.append(UInt8(ascii: "%"))
                    encoded.append(digit(byte >> 4))
                    encoded.append(digit(byte & 15))
                }
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
