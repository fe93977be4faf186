/// The format of a file. `init(sniffing:)` detects it from the first bytes of the file.
enum PropertyListFormat {
    case xml
    case binary
    case openStep
    case json

    private static let blanks = Set(" \t\r\n".utf8)

    /// Detects the format of a file from its first bytes. Text that starts like no other format
    /// counts as OpenStep.
    /// - Returns: nil if the file is empty or contains only spaces, tabs and line breaks.
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

    /// Returns whether `text` starts like a JSON object: with `{`, a quoted key and `:`. In an
    /// OpenStep dictionary, the key is followed by `=`. An empty dictionary counts as OpenStep,
    /// because it means the same in both formats.
    ///
    /// Comments before the key are skipped. OpenStep allows comments. JSON does not, but a JSON
    /// file with comments must be recognized, so that the JSON decoder can report the first
    /// comment.
    private static func isObject(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "{") else { return false }
        var rest = droppingComments(text.dropFirst())
        guard rest.popFirst() == UInt8(ascii: "\"") else { return false }
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
        return rest.drop(while: blanks.contains).first == UInt8(ascii: ":")
    }

    /// Returns the text without white space and comments at its start. Comments are `//` to the end
    /// of the line, and `/*` to `*/`.
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

/// The limits for the content of one file.
///
/// A process cannot recover from an exhausted stack or exhausted memory. Each limit is therefore
/// checked before the step that could exhaust them.
enum PropertyListLimits {
    /// The maximum size of a file, in bytes: 64 MiB.
    static let fileSize = 64 << 20

    /// The maximum depth to which arrays and dictionaries can be nested.
    static let nesting = 64

    /// The maximum number of values in a decoded property list. Keys do not count. In a binary
    /// property list, several references can share an object, which then counts once for each
    /// reference.
    static let values = 1_000_000

    /// The maximum size, in bytes, of a string that `PropertyListReader.string()` returns.
    static let textSize = 10_000

    static let tooDeep = UnreadablePropertyList(
        reason: "arrays and dictionaries nest deeper than \(nesting) levels")
    static let tooManyValues = UnreadablePropertyList(
        reason: "the property list has more than \(values) values; split the file")
}
