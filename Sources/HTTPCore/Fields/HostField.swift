/// The value of a `Host` field: a host and, where there is one, its port (RFC 9110, section 7.2; RFC
/// 3986, section 3.2.2).
struct HostField {
    /// The host, as it came: a name, an IPv4 address, or an IPv6 address in brackets. Empty where the
    /// target has no host.
    let host: Slice<UnsafeRawBufferPointer>

    /// - Returns: nil if the value is not a host with or without a port.
    init?(_ value: UnsafeRawBufferPointer) {
        let end: Int
        if value.first == UInt8(ascii: "[") {
            guard let bracket = value.firstIndex(of: UInt8(ascii: "]")),
                value[1..<bracket].allSatisfy(Self.isAddressByte), bracket > 1
            else { return nil }
            end = bracket + 1
        } else {
            end = value.firstIndex(of: UInt8(ascii: ":")) ?? value.count
            guard Self.isName(value[..<end]) else { return nil }
        }
        if end < value.count {
            guard value[end] == UInt8(ascii: ":"), value[(end + 1)...].allSatisfy(Self.isDigit)
            else { return nil }
        }
        host = value[..<end]
    }

    private static func isName(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst(), let low = rest.popFirst(),
                    isHexadecimalDigit(high), isHexadecimalDigit(low)
                else { return false }
            } else if !isNameByte(byte) {
                return false
            }
        }
        return true
    }

    /// Letters, digits and `-._~!$&'()*+,;=`.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 64 ? 0x2BFF_7FD2_0000_0000 : 0x47FF_FFFE_87FF_FFFE
        return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        isHexadecimalDigit(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
