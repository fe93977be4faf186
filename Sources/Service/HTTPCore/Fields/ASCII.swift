import Glibc

/// The sets of ASCII characters in the grammar of HTTP and of URIs.
extension UInt8 {
    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    var isHexadecimalDigit: Bool { isDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }

    /// Whether the byte is a space or a tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether the byte is valid in a token (RFC 9110, section 5.6.2).
    var isToken: Bool {
        // One bit for each character: letters, digits and !#$%&'*+-.^_`|~
        let bits: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && bits >> UInt64(self & 63) & 1 == 1
    }

    fileprivate var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension Substring {
    /// Returns the text without the spaces and tabs at its ends.
    public func trimmingBlanks() -> Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}

/// Returns whether two texts are equal. Ignores the case of ASCII letters.
func isSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard one.count == other.count, let start = one.baseAddress, let otherStart = other.baseAddress
    else { return one.count == other.count }
    // Most clients write the names of fields exactly as the RFCs do.
    return memcmp(start, otherStart, one.count) == 0
        || one.indices.allSatisfy { one[$0].lowercased == other[$0].lowercased }
}
