import HTTPCore
import JSON
import Navigation
import Testing
import WaypostTesting

@testable import WaypostAPI

@Suite(.timeLimit(.minutes(10))) struct RecentOperationsTests {
    private let recent = RecentOperations()

    private func row(of body: String) throws(Problem) -> (row: Int?, isRead: Bool) {
        var isRead = false
        let reading = try recent.reading(of: Array(body.utf8)) { () throws(Problem) in
            isRead = true
            guard let row = Int(body) else { throw Problem(.malformedJSON, body) }
            return (.select(row: row), true)
        }
        guard case .select(let row) = reading.operation else { return (nil, isRead) }
        return (row, isRead)
    }

    @Test("A body that comes again is decoded once") func repeatedBody() throws {
        #expect(try row(of: "12") == (12, true))
        #expect(try row(of: "12") == (12, false))
        #expect(try row(of: "13") == (13, true))
    }

    @Test("Bodies that share a slot of the cache are never taken for each other") func collisions()
        throws
    {
        for _ in 0..<3 {
            for number in 0..<1000 { #expect(try row(of: "\(number)").row == number) }
        }
    }

    @Test("A malformed body is refused each time and never cached") func malformedBody() {
        for _ in 0..<2 {
            #expect(throws: Problem.self) { try row(of: "x") }
        }
    }

    @Test("A body of more than 256 bytes is decoded each time") func longBody() throws {
        for (length, isReadAgain) in [(256, false), (257, true)] {
            let body = String(repeating: "0", count: length - 1) + "7"
            #expect(try row(of: body) == (7, true))
            #expect(try row(of: body) == (7, isReadAgain))
        }
    }

    @Test("A cached body is still refused with another Content-Type or at another route")
    func otherRequests() async throws {
        let client = try await Client.loggedIn(TestService())
        let body = #"{"scene": "authors"}"#
        for (type, status) in [("application/json", 200), ("text/plain", 415)] {
            let answer = try await client.send(
                "POST", "push", body, headers: ["Content-Type": type])
            #expect(answer.status == status)
        }
        // What one route takes another one does not.
        #expect(try await client.send("POST", "pop", body).code == "invalid-body")
    }

    @Test(
        "The name of an event in responses is the raw value of its kind",
        arguments: LifecycleEvent.Kind.allCases)
    func eventNames(_ kind: LifecycleEvent.Kind) {
        #expect("\(kind.text)" == kind.rawValue)
    }
}
