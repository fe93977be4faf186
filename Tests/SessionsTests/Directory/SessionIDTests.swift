import TestSupport
import Testing

@testable import Sessions

@Suite("Session ids")
struct SessionIDTests {
    @Test("A session id is written as 32 lower-case hexadecimal digits and parsed back")
    func description() throws {
        for _ in 0..<3 {
            let id = SessionID.make(TestEnvironment().environment)
            #expect(id.description.wholeMatch(of: /[0-9a-f]{32}/) != nil)
            #expect(SessionID(id.description) == id)
        }
        let text = "0000000000000001fffffffffffffffe"
        #expect(try #require(SessionID(text)).description == text)
        let turns = ["0123456789abcdef0f1e2d3c4b5a6978", "fedcba9876543210a0b1c2d3e4f50617"]
        for text in turns { #expect(try #require(SessionID(text)).description == text) }
    }

    @Test(
        "An invalid session id is rejected",
        arguments: [
            "", "0", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0",
            "0123456789ABCDEF0123456789abcdef", "0123456789abcdefg123456789abcdef",
            "+123456789abcdef+123456789abcdef", "0123456789abcdef 123456789abcdef",
        ])
    func notAnID(text: String) {
        #expect(SessionID(text) == nil)
    }
}
