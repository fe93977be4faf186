/// Bounds the nesting and the number of values of OpenStep and JSON text before it is decoded.
///
/// The check knows just enough of both formats to tell brackets from text. JSON has neither `'`
/// nor comments, so that the rules of OpenStep hold for every JSON file that is valid.
struct BracketCheck {
    private var rest: ArraySlice<UInt8>
    private var nesting = 0
    private var values = 1

    static func check(_ text: ArraySlice<UInt8>) throws(UnreadablePropertyList) {
        var check = BracketCheck(rest: text)
        while let byte = check.rest.popFirst() { try check.note(byte) }
    }

    private init(rest: ArraySlice<UInt8>) {
        self.rest = rest
    }

    private mutating func note(_ byte: UInt8) throws(UnreadablePropertyList) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
            nesting += 1
            guard nesting <= PropertyListLimits.nesting else { throw PropertyListLimits.tooDeep }
            try countValue()
        case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
            nesting -= 1
        case UInt8(ascii: ","), UInt8(ascii: ";"):
            try countValue()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            skipString(quote: byte)
        case UInt8(ascii: "/") where rest.first == UInt8(ascii: "/"):
            rest = rest.drop { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        case UInt8(ascii: "/") where rest.first == UInt8(ascii: "*"):
            try skipComment()
        case _ where Self.unquoted.contains(byte):
            // To its end, as `//` inside an unquoted string starts no comment.
            rest = rest.drop(while: Self.unquoted.contains)
        default:
            break
        }
    }

    private mutating func countValue() throws(UnreadablePropertyList) {
        values += 1
        guard values <= PropertyListLimits.values else { throw PropertyListLimits.tooManyValues }
    }

    private mutating func skipString(quote: UInt8) {
        while let byte = rest.popFirst(), byte != quote {
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
    }

    /// Foundation reads a comment without an end as the end of the file.
    private mutating func skipComment() throws(UnreadablePropertyList) {
        guard let end = rest.dropFirst().firstRange(of: Array("*/".utf8)) else {
            throw UnreadablePropertyList(reason: "a comment starts with /* and has no */")
        }
        rest = rest[end.upperBound...]
    }

    private static let unquoted = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$/:.-".utf8)
}
