/// The format of a file, detected from its first bytes and not from its name.
enum PropertyListFormat {
    case xml
    case binary
    case openStep
    case json

    private static let blanks = Set(" \t\r\n".utf8)

    /// Detects the format of a file.
    /// - Returns: nil if `bytes` are all blank.
    init?(sniffing bytes: ArraySlice<UInt8>) {
        let text = bytes.drop(while: Self.blanks.contains)
        guard let first = text.first else { return nil }
        if bytes.starts(with: "bplist".utf8) {
            self = .binary
        } else if first == UInt8(ascii: "<") {
            // OpenStep data at the top level also starts with `<`, but is never useful.
            self = .xml
        } else if first == UInt8(ascii: "[") || Self.isObject(text) {
            self = .json
        } else {
            self = .openStep
        }
    }

    /// Returns whether `text` starts like a JSON object with a member: with a key and a `:`. An
    /// OpenStep dictionary has `=` after its first key, and an empty dictionary means the same in
    /// both formats. Comments before the key are skipped: OpenStep allows them, and for a JSON file
    /// with comments, the JSON decoder reports the position of the first one.
    private static func isObject(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "{") else { return false }
        var rest = droppingComments(text.dropFirst())
        guard rest.popFirst() == UInt8(ascii: "\"") else { return false }
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
        return rest.drop(while: blanks.contains).first == UInt8(ascii: ":")
    }

    /// Returns the text without leading blanks and comments (`//` to the end of the line, and `/*`
    /// to `*/`).
    private static func droppingComments(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text.drop(while: blanks.contains)
        while true {
            if rest.starts(with: "//".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if rest.starts(with: "/*".utf8) {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
            } else {
                return rest
            }
            rest = rest.drop(while: blanks.contains)
        }
    }
}

/// The limits on the resources that reading one file takes.
///
/// A process cannot recover from exhausted stack or memory, so that each limit is checked before
/// the step that it protects.
enum PropertyListLimits {
    /// The largest size of a file, in bytes: 64 MiB.
    static let fileSize = 64 << 20

    /// The maximum nesting of arrays and dictionaries.
    static let nesting = 64

    /// The maximum number of values in the expanded tree, without keys. An object of a binary
    /// property list counts once for each reference to it.
    static let values = 1_000_000

    /// The largest size of a title, name or path, in bytes.
    static let textSize = 10_000

    static let tooDeep = UnreadablePropertyList(
        reason: "arrays and dictionaries nest deeper than \(nesting) levels")
    static let tooManyValues = UnreadablePropertyList(
        reason: "the property list has more than \(values) values; split the file")
}
