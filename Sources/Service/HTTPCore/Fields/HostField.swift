/// The value of a `Host` field: a host, optionally followed by a port (RFC 9110, section 7.2; RFC
/// 3986, section 3.2.2).
struct HostField {
    /// The undecoded host: a name, an IPv4 address, or an IPv6 address in brackets. Empty if the
    /// field names no host. The buffer refers to bytes of the parsed field, and is valid only as
    /// long as they are.
    let host: UnsafeRawBufferPointer

    /// - Returns: nil if the value is neither a host nor a host with a port.
    init?(_ value: UnsafeRawBufferPointer) {
        var end = 0
        if value.first == UInt8(ascii: "[") {
            while end < value.count, value[end] != UInt8(ascii: "]") { end += 1 }
            guard end < value.count, end > 1 else { return nil }
            for index in 1..<end where !Self.isAddressByte(value[index]) { return nil }
            end += 1
        } else {
            while end < value.count, Self.isNameByte(value[end]) { end += 1 }
            for index in 0..<end where value[index] == UInt8(ascii: "%") {
                guard index + 2 < end, value[index + 1].isHexadecimalDigit,
                    value[index + 2].isHexadecimalDigit
                else { return nil }
            }
        }
        host = UnsafeRawBufferPointer(rebasing: value[..<end])
        guard end < value.count else { return }
        guard value[end] == UInt8(ascii: ":") else { return nil }
        for index in (end + 1)..<value.count where !value[index].isDigit { return nil }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte.isHexadecimalDigit || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    /// Returns whether a byte is a letter, a digit or one of `-._~!$&'()*+,;=%`.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 64 ? 0x2BFF_7FF2_0000_0000 : 0x47FF_FFFE_87FF_FFFE
        return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
    }
}
