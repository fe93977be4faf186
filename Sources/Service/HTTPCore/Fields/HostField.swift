/// The value of a `Host` field: a host, optionally followed by a port (RFC 9110, section 7.2; RFC
/// 3986, section 3.2.2).
struct HostField {
    /// The undecoded host: a name, an IPv4 address, or an IPv6 address in brackets. Empty if the
    /// field names no host. The buffer refers to bytes of the parsed field, and is valid only as
    /// long as they are.
    let host: UnsafeRawBufferPointer

    /// Parses the value of a `Host` field.
    /// - Returns: nil if the value is neither a host nor a host with a port.
    init?(_ value: UnsafeRawBufferPointer) {
        var end = 0
        if value.first == UInt8(ascii: "[") {
            while end < value.count, value[end] != UInt8(ascii: "]") { end += 1 }
            guard end < value.count, end > 1, Self.isAddress(value, 1..<end) else { return nil }
            end += 1
        } else {
            while end < value.count, Self.isNameByte(value[end]) { end += 1 }
            guard Self.isEscaped(value, 0..<end) else { return nil }
        }
        host = UnsafeRawBufferPointer(rebasing: value[..<end])
        guard end < value.count else { return }
        guard value[end] == UInt8(ascii: ":") else { return nil }
        for index in (end + 1)..<value.count where !Self.isDigit(value[index]) { return nil }
    }

    private static func isAddress(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        range.allSatisfy { index in
            let byte = bytes[index]
            return isHexadecimalDigit(byte) || byte == UInt8(ascii: ":")
                || byte == UInt8(ascii: ".")
        }
    }

    /// Returns whether two hexadecimal digits follow each `%` in a range of the bytes.
    private static func isEscaped(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        range.allSatisfy { index in
            bytes[index] != UInt8(ascii: "%")
                || index + 2 < range.upperBound && isHexadecimalDigit(bytes[index + 1])
                    && isHexadecimalDigit(bytes[index + 2])
        }
    }

    /// Returns whether a byte is a letter, a digit or one of `-._~!$&'()*+,;=%`.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 64 ? 0x2BFF_7FF2_0000_0000 : 0x47FF_FFFE_87FF_FFFE
        return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
