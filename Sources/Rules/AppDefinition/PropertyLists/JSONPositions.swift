/// A position in a text file. The first line and the first column are 1. A column is a Unicode
/// scalar.
public struct TextPosition: Sendable, Equatable {
    public let line: Int
    public let column: Int
}

/// The positions of all values in a JSON text, by key path, such as `scenes.home.kind`. A key can
/// contain a dot, so that several values have the same key path. Its position is then that of the
/// nearest value around all of them.
struct JSONPositions {
    private let bytes: [UInt8]
    /// The positions, each with the key path of the value around it.
    private var positions: [String: (position: TextPosition, parent: String)] = [:]
    private var index = 0
    /// The position of the last value that was read, and its offset.
    private var last = (position: TextPosition(line: 1, column: 1), offset: 0)

    /// Finds the positions of all values.
    /// - Parameter bytes: JSON text that a parser has already accepted.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = Array(bytes)
        readValue(at: "", in: "")
    }

    /// Finds the positions of all values in a file; nil if the file is not JSON. A byte order mark
    /// at the start does not count as a character.
    init?(ofJSON bytes: [UInt8]) {
        let content = PropertyList.withoutByteOrderMark(bytes)
        guard PropertyListFormat(sniffing: content) == .json else { return nil }
        self.init(content)
    }

    /// Returns the position of the value at a key path. If there is no such value, returns the
    /// position of the nearest enclosing value.
    func position(of keyPath: String) -> TextPosition? {
        var path = Substring(keyPath)
        while true {
            if let place = positions[String(path)] { return place.position }
            guard !path.isEmpty else { return nil }
            // A key can contain a dot or a bracket: every shorter path is tried.
            path = path.lastIndex { $0 == "." || $0 == "[" }.map { path[..<$0] } ?? ""
        }
    }

    // MARK: Reading

    /// Notes the position of the value that begins at `index`.
    private mutating func notePosition(of keyPath: String, in parent: String) {
        var (line, column) = (last.position.line, last.position.column)
        for byte in bytes[last.offset..<index] {
            // Each character has exactly one byte that is not a continuation byte of UTF-8.
            if byte & 0xC0 != 0x80 { column += 1 }
            if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) }
        }
        last = (TextPosition(line: line, column: column), index)
        var place = (position: last.position, parent: parent)
        if let other = positions[keyPath] {
            // Both parents are beginnings of the key path, and the shorter one is around the other.
            place.parent = min(parent, other.parent)
            place.position = positions[place.parent]?.position ?? place.position
        }
        positions[keyPath] = place
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    private mutating func readValue(at keyPath: String, in parent: String) {
        skipSpace()
        guard index < bytes.count else { return }
        notePosition(of: keyPath, in: parent)
        switch bytes[index] {
        case UInt8(ascii: "{"): readMembers(of: keyPath)
        case UInt8(ascii: "["): readElements(of: keyPath)
        case UInt8(ascii: "\""): _ = readString()
        default:
            while index < bytes.count, !Self.ends.contains(bytes[index]) { index += 1 }
        }
    }

    /// The bytes that can follow a number, `true`, `false` or `null`.
    private static let ends: Set<UInt8> = Set(" \t\r\n,]}".utf8)

    private mutating func readMembers(of keyPath: String) {
        index += 1
        skipSpace()
        while index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
            let key = readString()
            skipSpace()
            index += 1
            readValue(at: keyPath.isEmpty ? key : "\(keyPath).\(key)", in: keyPath)
            skipSeparator()
        }
        index += 1
    }

    private mutating func readElements(of keyPath: String) {
        index += 1
        skipSpace()
        var count = 0
        while index < bytes.count, bytes[index] != UInt8(ascii: "]") {
            readValue(at: "\(keyPath)[\(count)]", in: keyPath)
            count += 1
            skipSeparator()
        }
        index += 1
    }

    private mutating func skipSeparator() {
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { return }
        index += 1
        skipSpace()
    }

    /// Reads a string and returns its content without the quotation marks. Escape sequences are not
    /// decoded. For a key with an escape sequence, `position(of:)` therefore returns the position
    /// of the enclosing object.
    private mutating func readString() -> String {
        let start = index + 1
        index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(index, bytes.count)
        index += 1
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
