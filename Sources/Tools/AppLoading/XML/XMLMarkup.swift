import Glibc

/// Finds markup that must be refused, such as a DOCTYPE, before libxml2 parses the text. The search
/// uses the string functions of C, so that it takes only milliseconds for a large file.
enum XMLMarkup {
    private typealias Text = UnsafePointer<CChar>

    /// Returns the reason why the text is refused; nil if the text is accepted.
    static func mistake(in text: UnsafePointer<CChar>) -> String? {
        if strncmp(text, "<<<<<<<", 7) == 0 || strstr(text, "\n<<<<<<< ") != nil
            || strstr(text, "\n>>>>>>> ") != nil
        {
            return "the file has merge conflict markers; resolve the conflict first"
        }
        if strstr(text, "<!DOCTYPE") != nil {
            return "the file has a DOCTYPE, which Xcode never writes"
        }
        if hasManyAttributes(text) {
            return "an element has more than \(XMLLimits.attributes) attributes"
        }
        return nil
    }

    /// The starts and ends of comments, CDATA sections and processing instructions. The text
    /// between them can contain any character, and so it is not searched for attributes.
    private static let opaque = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]

    /// Returns whether any tag of the text has more attributes than `XMLLimits.attributes`.
    private static func hasManyAttributes(_ text: UnsafePointer<CChar>) -> Bool {
        var position = next("<", in: text)
        while let tag = position {
            if let (start, end) = opaque.first(where: { strncmp(tag, $0.0, strlen($0.0)) == 0 }) {
                position = next(end, in: tag + strlen(start)).flatMap { next("<", in: $0) }
                continue
            }
            guard let (end, count) = endOfTag(tag) else { return false }
            if count > XMLLimits.attributes { return true }
            position = next("<", in: end)
        }
        return false
    }

    /// Returns the end of a tag, and the number of quoted attribute values in the tag. Returns nil
    /// if the tag has no end, which libxml2 reports as an error later.
    private static func endOfTag(_ tag: Text) -> (end: Text, values: Int)? {
        var values = 0
        var position = strpbrk(tag, "\"'>").map { Text($0) }
        while let found = position {
            if found.pointee == CChar(UInt8(ascii: ">")) { return (found, values) }
            values += 1
            guard let close = strchr(found + 1, Int32(found.pointee)) else { return nil }
            position = strpbrk(close + 1, "\"'>").map { Text($0) }
        }
        return nil
    }

    private static func next(_ mark: String, in text: Text) -> Text? {
        strstr(text, mark).map { Text($0) }
    }
}
