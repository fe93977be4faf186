extension EntityTag {
    /// Returns whether the value of `If-Match` or `If-None-Match` is `*` or a list of entity tags
    /// (RFC 9110, sections 13.1.1 and 13.1.2).
    ///
    /// Tags consist of visible ASCII characters, as those of this service do. Empty elements of a
    /// list are ignored (section 5.6.1); a list needs one tag at least.
    public static func isList(_ field: String) -> Bool {
        var rest = Substring(field).trimmingBlanks().utf8
        if rest.elementsEqual("*".utf8) { return true }
        while true {
            rest = rest.drop { isBlank($0) || $0 == UInt8(ascii: ",") }
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.popFirst() == quote else { return false }
            rest = rest.drop { $0 != quote && (0x21...0x7E).contains($0) }
            guard rest.popFirst() == quote else { return false }
            rest = rest.drop(while: isBlank)
            if rest.isEmpty { return true }
            guard rest.first == UInt8(ascii: ",") else { return false }
            if rest.allSatisfy({ isBlank($0) || $0 == UInt8(ascii: ",") }) { return true }
        }
    }

    private static let quote = UInt8(ascii: "\"")

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
