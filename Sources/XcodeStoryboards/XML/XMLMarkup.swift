import Glibc

/// Finds the markup that is refused before libxml2 reads it. Functions of the C library search the
/// text, so that a large file takes milliseconds.
enum XMLMarkup {
    private typealias Text = UnsafePointer<CChar>

    /// Returns the reason why the text is refused; nil if it is accepted.
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

    /// The starts and ends of comments, CDATA sections and processing instructions. They have no
    /// attributes and may contain any character.
    private static let opaque = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]

    /// Whether a tag has more attributes than the limit allows.
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

    /// Returns the end of a tag and the number of its quoted values; nil if the tag has no end, an
    /// error that libxml2 reports.
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
