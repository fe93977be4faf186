import Testing

@testable import HTTPCore

@Suite("The ids of requests")
struct RequestIDsTests {
    @Test("New request ids have 13 letters and digits and are unique in the process")
    func new() {
        let ids = RequestIDs(seed: 7)
        let made = (0..<10_000).map { _ in ids.next() }
        #expect(Set(made).count == made.count)
        #expect(made.allSatisfy { $0.wholeMatch(of: /[0-9a-z]{13}/) != nil })
        #expect(RequestIDs(seed: 8).next() != made[0])
    }

    @Test(
        "A client's request id is kept if it is safe to log",
        arguments: [
            ("a", true), ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", true),
            ("Root=1-67891233-abcdef012345678912345678", true), ("a/b:c@d+e=", true),
            (String(repeating: "x", count: 128), true),
            (String(repeating: "x", count: 129), false), ("", false), ("a b", false),
            ("a\u{7f}", false), ("é", false), ("a,b", false), ("\"a\"", false), ("{a}", false),
        ])
    func ofTheClient(_ id: String, _ isKept: Bool) {
        #expect((RequestIDs(seed: 1).id(of: ["X-Request-ID": id]) == id) == isKept)
    }

    @Test("A request with two X-Request-ID fields gets a new id")
    func two() {
        let id = RequestIDs(seed: 1).id(of: ["x-request-id": "a", "X-Request-ID": "b"])
        #expect(id.utf8.count == 13)
    }
}
