/// Percent-encoding (RFC 3986, section 2.1).
enum PercentEncoding {
    /// Decodes percent-encoding.
    /// - Returns: nil if a `%` comes without two hexadecimal digits after it, or if the decoded
    ///   bytes are not valid UTF-8.
    static func decoded(_ text: Substring.UTF8View) -> String? {
        guard text.contains(UInt8(ascii: "%")) else { return String(Substring(text)) }
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap({ hexadecimalDigit($0) }),
                let low = rest.popFirst().flatMap({ hexadecimalDigit($0) })
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    /// The bytes that stand for themselves.
    struct Plain {
        /// A bit for each of the first 64 bytes, and one for each of the second 64.
        private var bits: (UInt64, UInt64) = (0, 0)

        init(_ others: StaticString) {
            let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
            for byte in Array(letters.utf8) + Array(others.description.utf8) {
                if byte < 64 { bits.0 |= 1 << byte } else { bits.1 |= 1 << (byte - 64) }
            }
        }

        func contains(_ byte: UInt8) -> Bool {
            byte < 128 && (byte < 64 ? bits.0 >> byte : bits.1 >> (byte - 64)) & 1 == 1
        }
    }

    /// The bytes that stand for themselves in a segment of a path: the unreserved characters, and
    /// the reserved ones that have no meaning there.
    static let segment = Plain("!$&'()*+,;=:@")
    /// The bytes that stand for themselves in the name or the value of a query parameter.
    static let query = Plain("!$'()*,;:@")

    /// Appends a text to another with percent-encoding.
    static func append(_ text: String, to encoded: inout [UInt8], plain: Plain) {
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
