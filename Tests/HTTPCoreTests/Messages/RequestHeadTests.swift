import Testing

@testable import HTTPCore

@Suite("The head of a request")
struct RequestHeadTests {
    private final class Length: Sendable {
        let value: Int

        init(_ value: Int) { self.value = value }
    }

    private final class Name: Sendable {
        let value: String

        init(_ value: String) { self.value = value }
    }

    private let head: RequestHead

    init() throws {
        head = RequestHead(method: .get, target: try RequestTarget("/authors"))
    }

    @Test("What has been found out is not looked for again, one thing of each type")
    func once() {
        let length = head.finding { Length(head.target.path.utf8.count) }
        let name = head.finding { Name(head.method.name) }
        #expect(length.value == 8)
        #expect(name.value == "GET")
        #expect(head.finding { Length(0) } === length)
        #expect(head.finding { Name("") } === name)
    }

    @Test("What could not be found out is looked for again")
    func failure() throws {
        #expect(throws: Problem.self) {
            try head.finding { () throws(Problem) -> Length in
                throw Problem(.malformedRequest, "not yet")
            }
        }
        #expect(head.finding { Length(1) }.value == 1)
    }

    @Test("Another head has findings of its own")
    func another() throws {
        _ = head.finding { Length(1) }
        let other = RequestHead(method: head.method, target: head.target)
        #expect(other.finding { Length(2) }.value == 2)
    }
}
