/// The format of a file, as its first bytes tell; the file's name says nothing.
enum PropertyListFormat {
    case xml
    case binary
    case openStep
    case json

    private static let blanks = Set(" \t\r\n".utf8)

    /// - Returns: the format, or `nil` if `bytes` are all blank.
    init?(sniffing bytes: ArraySlice<UInt8>) {
        let text = bytes.drop(while: Self.blanks.contains)
        guard let first = text.first else { return nil }
        if bytes.starts(with: "bplist".utf8) {
            self = .binary
        } else if first == UInt8(ascii: "<") {
            // Top-level data of OpenStep starts so too, but is of no use to anyone.
            self = .xml
        } else if first == UInt8(ascii: "[") || Self.isObject(text) {
            self = .json
        } else {
            self = .openStep
        }
    }

    /// Whether `text` starts like a JSON object. An OpenStep dictionary has `=` after its first
    /// key, and an empty one means the same in both formats. Comments before the key are skipped:
    /// OpenStep has them, and in JSON the reader then names the place of the first.
    private static func isObject(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "{") else { return false }
        var rest = droppingComments(text.dropFirst())
        guard rest.popFirst() == UInt8(ascii: "\"") else { return false }
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
        return rest.drop(while: blanks.contains).first == UInt8(ascii: ":")
    }

    /// Drops blanks, and comments: `//` to the end of the line, and `/*` to `*/`.
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

/// The limits on what a file makes the process that reads it do.
///
/// An overflow of the stack or of memory cannot be caught, so that each limit is checked before
/// the step that it guards.
enum PropertyListLimits {
    /// In bytes: 64 MiB.
    static let fileSize = 64 << 20

    /// Arrays and dictionaries inside each other.
    static let nesting = 64

    /// Values in the expanded tree, keys not counted: a binary property list may name one object
    /// many times, and every time counts.
    static let values = 1_000_000

    /// In bytes, of a string that the app shows or looks something up by: a title, a name, a path.
    static let textSize = 10_000

    static let tooDeep = UnreadablePropertyList(
        reason: "arrays and dictionaries nest deeper than \(nesting) levels")
    static let tooManyValues = UnreadablePropertyList(
        reason: "the property list has more than \(values) values; split the file")
}
