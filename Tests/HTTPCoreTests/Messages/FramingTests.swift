import HTTPCore
import Testing

@Suite struct FramingTests {
    typealias Fields = [(String, String)]

    private static func problem(
        _ fields: Fields, target: String = "/", version: String = "HTTP/1.1"
    ) -> Problem? {
        Framing.problem(
            target: target, version: version,
            headers: HeaderFields(fields.map { .init(name: $0.0, value: $0.1) }), size: 100,
            maximumSize: 1000)
    }

    static let sound: [Fields] = [
        [("Host", "a")],
        [("Host", ""), ("Content-Length", "0")],
        [("host", "a"), ("content-length", "65536"), ("X-Odd!#$", "tab\tand ümlaut")],
        [("Host", "a"), ("Transfer-Encoding", "Chunked")],
        [("Host", "localhost:8080")], [("Host", "a.example.")], [("Host", "a_b-c~!$&'()*+,;=.d")],
        [("Host", "127.0.0.1:")], [("Host", "[::1]")], [("Host", "[2001:db8::1]:80")],
        [("Host", "%41b")], [("Host", ":80")],
    ]

    @Test(
        "A request with one Host field and one indication of its length is accepted",
        arguments: sound)
    func accepted(_ fields: Fields) {
        #expect(Self.problem(fields) == nil)
    }

    static let unsound: [Fields] = [
        [],
        [("Host", "a"), ("Host", "a")],
        [("Host", "a b")], [("Host", "a/c")], [("Host", "a@d")], [("Host", "a?b")],
        [("Host", "a:b")], [("Host", "a:8 0")], [("Host", "a:1:2")], [("Host", "::1")],
        [("Host", "[::1")], [("Host", "[]")], [("Host", "[::1]a")], [("Host", "[a b]")],
        [("Host", "%4")], [("Host", "%zz")], [("Host", "\u{e9}")], [("Host", "a,b c")],
        [("Host", "http://a")],
        [("Host", "a"), ("Content-Length", "5"), ("Content-Length", "5")],
        [("Host", "a"), ("Content-Length", "5, 5")],
        [("Host", "a"), ("Content-Length", "+5")],
        [("Host", "a"), ("Content-Length", "-5")],
        [("Host", "a"), ("Content-Length", "5x")],
        [("Host", "a"), ("Content-Length", "")],
        [("Host", "a"), ("Content-Length ", "5")],
        [("Host", "a"), ("Content-Length", "5"), ("Transfer-Encoding", "chunked")],
        [("Host", "a"), ("Transfer-Encoding", "gzip")],
        [("Host", "a"), ("Transfer-Encoding", "chunked ")],
        [("Host", "a"), ("Transfer-Encoding", "chunked\t")],
        [("Host", "a"), ("Transfer-Encoding", "gzip, chunked")],
        [("Host", "a"), ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
        [("Host", "a"), ("Transfer-Encoding", "xchunked")],
        [("Host", "a"), ("", "x")],
        [("Host", "a"), ("X:Y", "x")],
        [("Host", "a"), ("X", "a\0b")],
        [("Host", "a"), ("X", "a\rb")],
        [("Host", "a"), ("X", "a\u{7f}b")],
    ]

    @Test(
        "A request with ambiguous framing is refused with 400, and the connection is closed",
        arguments: unsound)
    func refused(_ fields: Fields) {
        let problem = Self.problem(fields)
        #expect(problem?.kind == .malformedRequest)
        #expect(problem?.headers["Connection"] == "close")
    }

    @Test("A control character at any position of a field value is refused")
    func controlCharacters() {
        // The check reads words of eight bytes, so that only the lengths around their ends differ.
        for length in [1, 7, 8, 9, 15, 16, 17] {
            for place in 0..<length {
                for code in UInt8(0)..<0x80 {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    bytes[place] = code
                    let value = String(decoding: bytes, as: UTF8.self)
                    let isSound = (code >= 0x20 || code == 0x09) && code != 0x7F
                    let problem = Self.problem([("Host", "a"), ("X", value)])
                    guard (problem == nil) == isSound else {
                        Issue.record("\(code) at \(place) of \(length)")
                        return
                    }
                }
            }
        }
    }

    @Test("A field name with any character that is not a token character is refused") func names() {
        let others = "!#$%&'*+-.^_`|~"
        for code in UInt8(1)..<0x80 {
            let character = Character(Unicode.Scalar(code))
            let isSound = character.isLetter || character.isNumber || others.contains(character)
            let problem = Self.problem([("Host", "a"), ("X\(character)", "")])
            #expect((problem == nil) == isSound, "\(code)")
        }
    }

    @Test("An HTTP/1.0 request needs no Host field and must not be chunked") func version10() {
        #expect(Self.problem([], version: "HTTP/1.0") == nil)
        #expect(Self.problem([("Transfer-Encoding", "chunked")], version: "HTTP/1.0") != nil)
    }

    @Test(
        "A target with a blank, a control character or a non-ASCII character is refused",
        arguments: ["/a b", "/\u{e9}", "/a\u{1}", "/a\u{7f}", "/\u{fffd}"])
    func targets(_ target: String) {
        #expect(Self.problem([("Host", "a")], target: target) != nil)
    }
}
