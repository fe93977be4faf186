/// Decodes percent-encoding (RFC 3986, section 2.1) strictly.
/// - Returns: the decoded text; nil if a `%` comes without two hexadecimal digits after it, or if
///   the decoded bytes contain NUL or are not valid UTF-8.
public func percentDecoded(_ part: Substring.UTF8View) -> String? {
    part.withContiguousStorageIfAvailable(percentDecoded) ?? percentDecoded(Array(part))
}

private func percentDecoded(_ part: [UInt8]) -> String? {
    part.withUnsafeBufferPointer(percentDecoded)
}

/// Decodes percent-encoding in a text.
/// - Parameter part: the text, in valid UTF-8.
/// - Returns: the decoded text; nil if a `%` comes without two hexadecimal digits after it, or if
///   the decoded bytes contain NUL or are not valid UTF-8.
func percentDecoded(_ part: UnsafeBufferPointer<UInt8>) -> String? {
    guard part.contains(where: { $0 == UInt8(ascii: "%") || $0 == 0 }) else {
        return String(decoding: part, as: UTF8.self)
    }
    var bytes: [UInt8] = []
    var rest = part[...]
    while let byte = rest.popFirst() {
        var decoded = byte
        if byte == UInt8(ascii: "%") {
            guard let high = rest.popFirst().flatMap(hexadecimalDigit),
                let low = rest.popFirst().flatMap(hexadecimalDigit)
            else { return nil }
            decoded = high << 4 | low
        }
        guard decoded != 0 else { return nil }
        bytes.append(decoded)
    }
    return String(validating: bytes, as: UTF8.self)
}

/// Encodes one path segment. Escapes all characters except the unreserved ones of RFC 3986:
/// letters, digits, `-`, `.`, `_` and `~`.
public func percentEncoded(segment: String) -> String {
    guard !segment.utf8.allSatisfy(isUnreserved) else { return segment }
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in segment.utf8 {
        if isUnreserved(byte) {
            bytes.append(byte)
        } else {
            bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
