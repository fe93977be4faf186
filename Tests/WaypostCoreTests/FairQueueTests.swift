import Testing

@testable import WaypostCore

@Suite("Fair queue")
struct FairQueueTests {
    private typealias Queue = FairQueue<String>

    /// Appends work and returns the outcome as a word.
    private func append(
        _ work: String, of client: String?, for account: String? = nil, to queue: inout Queue
    ) -> String {
        switch queue.append(work, of: WorkOwner(client: client, account: account)) {
        case nil: "added"
        case (let other, .full)? where other != work: "instead of \(other)"
        case (_, .full)?: "full"
        case (_, .clientLimit)?: "client limit"
        case (_, .accountLimit)?: "account limit"
        }
    }

    private func drain(_ queue: inout Queue) -> [String] {
        var works: [String] = []
        while let work = queue.next() { works.append(work) }
        #expect(queue.count == 0)
        return works
    }

    @Test("A fair queue keeps the order of one client's work")
    func oneClient() {
        var queue = Queue(.init(total: 10))
        for number in 1...4 { _ = append("\(number)", of: "a", to: &queue) }
        #expect(drain(&queue) == ["1", "2", "3", "4"])
        #expect(queue.next() == nil)
    }

    @Test("A new client in a fair queue waits for one piece of work of each other client")
    func turns() {
        var queue = Queue(.init(total: 100))
        for number in 1...5 { _ = append("a\(number)", of: "a", to: &queue) }
        for number in 1...5 { _ = append("b\(number)", of: "b", to: &queue) }
        #expect(queue.next() == "a1")
        #expect(append("c1", of: "c", to: &queue) == "added")
        #expect(append("c2", of: "c", to: &queue) == "added")
        #expect(
            drain(&queue) == ["b1", "a2", "c1", "b2", "a3", "c2", "b3", "a4", "b4", "a5", "b5"])
    }

    @Test("A client in a fair queue takes its next turn after all other clients")
    func lastInTurn() {
        var queue = Queue(.init(total: 100))
        for client in ["a", "b", "c"] { _ = append("\(client)1", of: client, to: &queue) }
        #expect(queue.next() == "a1")
        _ = append("a2", of: "a", to: &queue)
        #expect(drain(&queue) == ["b1", "c1", "a2"])
    }

    @Test("A fair queue limits the places of a client and an account, and gives them back")
    func limits() {
        var queue = Queue(.init(total: 100, perClient: 3, perAccount: 2))
        for number in 1...3 { #expect(append("a\(number)", of: "a", to: &queue) == "added") }
        #expect(append("a4", of: "a", to: &queue) == "client limit")
        // The same account sends from several addresses.
        #expect(append("b1", of: "b", for: "ada", to: &queue) == "added")
        #expect(append("c1", of: "c", for: "ada", to: &queue) == "added")
        #expect(append("d1", of: "d", for: "ada", to: &queue) == "account limit")
        #expect(append("d1", of: "d", for: "bob", to: &queue) == "added")
        #expect(queue.next() == "a1")
        #expect(append("a4", of: "a", to: &queue) == "added")
        #expect(queue.next() == "b1")
        #expect(append("d2", of: "d", for: "ada", to: &queue) == "added")
        #expect(queue.count == 6)
    }

    @Test("Work of unknown clients and accounts is limited by the fair queue's total only")
    func unknown() {
        var queue = Queue(.init(total: 10, perClient: 1, perAccount: 1))
        for number in 1...10 { #expect(append("\(number)", of: nil, to: &queue) == "added") }
        #expect(append("11", of: nil, to: &queue) == "full")
    }

    @Test("In a full fair queue a new client replaces the newest work of the client with the most")
    func replaced() {
        var queue = Queue(.init(total: 5))
        for number in 1...2 { _ = append("a\(number)", of: "a", to: &queue) }
        for number in 1...3 { _ = append("b\(number)", of: "b", to: &queue) }
        #expect(append("b4", of: "b", to: &queue) == "full")
        #expect(append("c1", of: "c", to: &queue) == "instead of b3")
        #expect(queue.count == 5)
        // Each client has two pieces, so none gives up a place for another client's second piece.
        #expect(append("c2", of: "c", to: &queue) == "full")
        #expect(["instead of a2", "instead of b2"].contains(append("d1", of: "d", to: &queue)))
        #expect(drain(&queue).sorted().count == 5)
    }

    @Test("A fair queue full of clients with one place each rejects a new client")
    func fullOfEqualClients() {
        var queue = Queue(.init(total: 3))
        for client in ["a", "b", "c"] { _ = append(client, of: client, to: &queue) }
        #expect(append("d", of: "d", to: &queue) == "full")
        #expect(drain(&queue) == ["a", "b", "c"])
        #expect(append("d", of: "d", to: &queue) == "added")
    }

    @Test("A fair queue without places rejects all work")
    func noPlaces() {
        var queue = Queue(.init(total: 0))
        #expect(append("a", of: "a", to: &queue) == "full")
        #expect(drain(&queue) == [])
    }
}
