/// Checks OpenStep or JSON text before it is decoded. The check limits the nesting and the number
/// of values, and rejects duplicate keys in OpenStep dictionaries.
///
/// The check recognizes brackets, strings and comments by the rules of OpenStep. These rules also
/// work for valid JSON, which has the same brackets and strings, and no comments.
struct BracketCheck {
    /// The state of the check inside one pair of brackets. The first level is the file itself.
    private struct Level {
        /// The keys of the dictionary so far, with their escape sequences as in the file.
        var keys: Set<ArraySlice<UInt8>> = []
        /// Whether the check has read the `=` after the current key.
        var hasValue = false
    }

    private let text: ArraySlice<UInt8>
    private var rest: ArraySlice<UInt8>
    private let findsKeys: Bool
    private let maximumValues: Int
    private var levels = [Level()]
    private var values = 1
    private var keys = 0
    /// The last string that the check has read, without its quotes.
    private var string: ArraySlice<UInt8>?

    /// Checks the text of a file.
    /// - Parameter maximumValues: the maximum number of values; another one only for tests.
    /// - Returns: the total number of keys in all dictionaries of OpenStep text; 0 for JSON.
    /// - Throws: the reason why the text is rejected.
    static func check(
        _ text: ArraySlice<UInt8>, format: PropertyListFormat,
        maximumValues: Int = PropertyListLimits.values
    ) throws(UnreadablePropertyList) -> Int {
        var check = BracketCheck(
            text, findsKeys: format == .openStep, maximumValues: maximumValues)
        while let byte = check.rest.first { try check.note(byte) }
        return check.keys
    }

    private init(_ text: ArraySlice<UInt8>, findsKeys: Bool, maximumValues: Int) {
        self.text = text
        self.findsKeys = findsKeys
        self.maximumValues = maximumValues
        rest = text
    }

    private mutating func note(_ byte: UInt8) throws(UnreadablePropertyList) {
        if Self.unquoted.contains(byte), !startsComment {
            // The whole string is skipped, because `//` inside an unquoted string starts no
            // comment.
            let end = rest.firstIndex { !Self.unquoted.contains($0) } ?? rest.endIndex
            string = rest[rest.startIndex..<end]
            rest = rest[end...]
            return
        }
        rest.removeFirst()
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
            levels.append(Level())
            guard levels.count - 1 <= PropertyListLimits.nesting else {
                throw PropertyListLimits.tooDeep
            }
            try countValue()
        case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
            // The parser rejects an unmatched closing bracket.
            if levels.count > 1 { levels.removeLast() }
        case UInt8(ascii: ","):
            try countValue()
        case UInt8(ascii: "="):
            if findsKeys { try noteKey() }
            levels[levels.count - 1].hasValue = true
        case UInt8(ascii: ";"):
            // A key without a value has its own name as the value.
            if findsKeys, !levels[levels.count - 1].hasValue { try noteKey() }
            levels[levels.count - 1].hasValue = false
            try countValue()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            string = skipString(quote: byte)
        case UInt8(ascii: "/") where rest.first == UInt8(ascii: "/"):
            rest = rest.drop { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        case UInt8(ascii: "/"):
            try skipComment()
        default:
            break
        }
    }

    private var startsComment: Bool {
        guard rest.first == UInt8(ascii: "/") else { return false }
        let next = rest.dropFirst().first
        return next == UInt8(ascii: "/") || next == UInt8(ascii: "*")
    }

    private mutating func noteKey() throws(UnreadablePropertyList) {
        keys += 1
        guard let key = string else { return }
        string = nil
        guard levels[levels.count - 1].keys.insert(key).inserted else {
            let line = text[..<rest.startIndex].count { $0 == UInt8(ascii: "\n") } + 1
            let name = String(decoding: key.prefix(80), as: UTF8.self)
            throw UnreadablePropertyList(
                reason: "not a valid property list: line \(line): the key \(name) twice in one"
                    + " dictionary")
        }
    }

    private mutating func countValue() throws(UnreadablePropertyList) {
        values += 1
        guard values <= maximumValues else { throw PropertyListLimits.tooManyValues }
    }

    /// Skips the rest of a string, from the byte after its opening quote.
    /// - Returns: the bytes between the quotes, with their escape sequences.
    private mutating func skipString(quote: UInt8) -> ArraySlice<UInt8> {
        let start = rest.startIndex
        while let byte = rest.popFirst() {
            if byte == quote { return text[start..<rest.startIndex - 1] }
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
        return text[start...]
    }

    /// Skips a comment that starts with `/*`.
    /// - Throws: an error if the comment has no end. Foundation would ignore the rest of the file.
    private mutating func skipComment() throws(UnreadablePropertyList) {
        guard let end = rest.dropFirst().firstRange(of: Array("*/".utf8)) else {
            throw UnreadablePropertyList(reason: "a comment starts with /* and has no */")
        }
        rest = rest[end.upperBound...]
    }

    private static let unquoted = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$/:.-".utf8)
}
