/// The decoded text of an XML element that has no child elements.
struct XMLText {
    /// The text with references and CDATA sections decoded: `&#97;`, `&#x61;` and `<![CDATA[a]]>`
    /// all become `a`. Unknown references are unchanged.
    let content: String

    init(_ source: ArraySlice<UInt8>) {
        // Most texts contain neither references nor CDATA sections.
        guard source.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "<") }) else {
            content = Self.text(of: source)
            return
        }
        var rest = source
        var bytes: [UInt8] = []
        while let byte = rest.first {
            if rest.starts(with: Self.sectionStart) {
                let section = rest.dropFirst(Self.sectionStart.count)
                let end = section.firstRange(of: Self.sectionEnd)
                bytes += section[..<(end?.lowerBound ?? section.endIndex)]
                rest = section[(end?.upperBound ?? section.endIndex)...]
            } else if byte == UInt8(ascii: "&"), let (text, end) = Self.reference(at: rest) {
                bytes += text.utf8
                rest = rest[end...]
            } else {
                bytes.append(byte)
                rest.removeFirst()
            }
        }
        content = Self.text(of: bytes[...])
    }

    /// Decodes bytes as UTF-8 or, if they are not valid UTF-8, as Latin-1. With Latin-1, different
    /// invalid bytes become different characters, and not all the replacement character U+FFFD.
    private static func text(of bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static let sectionStart = Array("<![CDATA[".utf8)
    private static let sectionEnd = Array("]]>".utf8)

    /// Decodes a character reference or an entity reference.
    /// - Parameter source: the bytes of the text, from the `&` on.
    /// - Returns: the decoded text, and the index after the reference; nil if the reference is
    ///   unknown.
    private static func reference(at source: ArraySlice<UInt8>) -> (text: String, end: Int)? {
        // The longest references are numeric ones with leading zeros.
        guard let end = source.prefix(64).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: source[source.startIndex..<end].dropFirst(), as: UTF8.self)
        if let text = entities[name] { return (text, end + 1) }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHexadecimal = digits.hasPrefix("x")
        guard
            let number = UInt32(
                isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(number)
        else { return nil }
        return (String(scalar), end + 1)
    }

    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
}
