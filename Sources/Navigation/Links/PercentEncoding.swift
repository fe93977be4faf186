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

    /// The bytes that stand for themselves in a segment of a path: the unreserved characters, and
    /// the reserved ones that have no meaning there.
    static let segment = table("!$&'()*+,;=:@")
    /// The bytes that stand for themselves in the name or the value of a query parameter.
    static let query = table("!$'()*,;:@")

    private static func table(_ others: StaticString) -> [Bool] {
        var table = Array(repeating: false, count: 256)
        for byte in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8 {
            table[Int(byte)] = true
        }
        for byte in others.description.utf8 { table[Int(byte)] = true }
        return table
    }

    /// Appends a text to another with percent-encoding.
    /// - Parameter plain: for each byte, whether it stands for itself.
    static func append(_ text: some StringProtocol, to encoded: inout String, plain: [Bool]) {
        guard text.utf8.contains(where: { !plain[Int($0)] }) else {
            encoded.append(contentsOf: text)
            return
        }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if plain[Int(byte)] {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        encoded += String(decoding: bytes, as: UTF8.self)
    }
}
