import Testing

@testable import HTTPCore

@Suite("Request targets")
struct RequestTargetTests {
    private static let fragment = refusal("expected no fragment (#)")

    private static func refusal(_ defect: String) -> Problem {
        Problem(.malformedRequest, "the request target: \(defect)")
    }

    @Test(
        "A request path is split before its segments are decoded once",
        arguments: [
            ("/", [""]), ("/v1/authors", ["v1", "authors"]),
            ("/v1/authors/", ["v1", "authors", ""]),
            ("//", ["", ""]), ("/a//b", ["a", "", "b"]), ("/a%2Fb/c", ["a/b", "c"]),
            ("/a%2fb", ["a/b"]), ("/%41", ["A"]), ("/%2541", ["%41"]), ("/a%20b", ["a b"]),
            ("/a+b", ["a+b"]), ("/%C3%A9", ["é"]), ("/é", ["é"]), ("/%3F%23", ["?#"]),
            ("/..", [".."]), ("/%2E%2e", [".."]), ("/a;b=c", ["a;b=c"]), ("/*", ["*"]),
        ])
    func segments(raw: String, expected: [String]) throws {
        #expect(try RequestTarget(raw).segments == expected)
    }

    @Test("The path of a request target is kept undecoded, without the query")
    func path() throws {
        let target = try RequestTarget("/a%2Fb/%41?x=%41")
        #expect(target.path == "/a%2Fb/%41")
    }

    @Test(
        "A query is split before it is decoded; names may repeat and values may be missing",
        arguments: [
            ("/a", []), ("/a?", []), ("/a?x=1", [("x", "1")]),
            ("/a?x=1&x=2&y=3", [("x", "1"), ("x", "2"), ("y", "3")]),
            ("/a?x", [("x", "")]), ("/a?x=", [("x", "")]), ("/a?=1", [("", "1")]),
            ("/a?&&x=1&", [("x", "1")]), ("/a?x=a=b", [("x", "a=b")]),
            ("/a?x=%26%3D", [("x", "&=")]), ("/a?%78=1", [("x", "1")]),
            ("/a?x=a+b", [("x", "a+b")]),
            ("/a?x=?/", [("x", "?/")]),
        ] as [(String, [(String, String)])])
    func query(raw: String, expected: [(String, String)]) throws {
        let items = try RequestTarget(raw).query
        #expect(items == expected.map { RequestTarget.QueryItem(name: $0, value: $1) })
    }

    @Test(
        "An invalid or incomplete escape, a NUL and invalid UTF-8 in a target are refused",
        arguments: [
            ("/%", "%"), ("/a/%4", "%4"), ("/%zz", "%zz"), ("/%4g/b", "%4g"), ("/%%41", "%%41"),
            ("/%+1", "%+1"), ("/a%00b", "a%00b"), ("/a\0b", "a\0b"), ("/%C3", "%C3"),
            ("/%FF", "%FF"), ("/%C0%AF", "%C0%AF"), ("/%ED%A0%80", "%ED%A0%80"),
            ("/%C3/%A9", "%C3"), ("/a?x=%", "x=%"), ("/a?%=1", "%=1"), ("/a?x=%00", "x=%00"),
            ("/a?y=1&x=%FF", "x=%FF"),
        ])
    func badEscape(raw: String, part: String) {
        #expect(throws: Self.refusal("\(part) is not percent-encoded UTF-8")) {
            try RequestTarget(raw)
        }
    }

    @Test(
        "A request target that does not start with / is refused",
        arguments: ["", "a", "https://example.com/", "example.com:80", "?x=1", "**", "*?x=1"])
    func notOriginForm(raw: String) {
        #expect(throws: Self.refusal("expected a path that starts with /")) {
            try RequestTarget(raw)
        }
    }

    @Test(
        "A target in absolute form equals the target of its path",
        arguments: [
            ("http://example.com/", "/"), ("http://example.com", "/"),
            ("HTTP://example.com:80/a/b?x=1", "/a/b?x=1"), ("http://example.com?x=1", "/?x=1"),
            ("http://example.com/\u{301}/b", "/\u{301}/b"),
        ])
    func absoluteForm(raw: String, origin: String) throws {
        let target = try RequestTarget(raw)
        let expected = try RequestTarget(origin)
        #expect(target.path == expected.path)
        #expect(target.segments == expected.segments)
        #expect(target.query == expected.query)
    }

    @Test(
        "A target in absolute form without a host, or with more than a host and a port, is refused",
        arguments: ["", ":80", "ada@example.com", "example.com:port", "a b"])
    func badHost(host: String) {
        #expect(throws: Self.refusal("\(host) is not a host with an optional port")) {
            try RequestTarget("http://\(host)/livez")
        }
    }

    @Test(
        "A fragment in the path or the query of a target is refused",
        arguments: ["/a#b", "/a?x=1#b", "http://example.com#b", "http://example.com/a#b"])
    func fragment(raw: String) {
        #expect(throws: Self.fragment) { try RequestTarget(raw) }
    }

    @Test("The marks ?, # and % are recognised at any position of a path", arguments: 1...20)
    func marksAnywhere(place: Int) throws {
        let path = Array("/abcdefghijklmnopqrst").map(String.init)
        func with(_ mark: String) -> String {
            (path[..<place] + [mark] + path[place...]).joined()
        }
        let query = try RequestTarget(with("?"))
        #expect(query.path == path[..<place].joined())
        #expect(query.query.map(\.name) == [path[place...].joined()])
        #expect(throws: Self.fragment) { try RequestTarget(with("#")) }
        #expect(try RequestTarget(with("%2F")).segments == [with("/").dropFirst().description])
        #expect(throws: Problem.self) { try RequestTarget(with("%g0")) }
        for plain in ["!", "$", "&", "'", "=", "é", "\u{7F}"] {
            #expect(try RequestTarget(with(plain)).segments == [String(with(plain).dropFirst())])
        }
    }

    @Test("The request target * has neither segments nor a query")
    func asterisk() throws {
        let target = try RequestTarget("*")
        #expect(target.path == "*")
        #expect(target.segments.isEmpty)
        #expect(target.query.isEmpty)
    }
}
