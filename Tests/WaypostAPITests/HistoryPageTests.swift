import HTTPCore
import JSON
import NavigationRules
import Testing
import WaypostCore

@testable import Sessions
@testable import WaypostAPI

@Suite("The size of a page of the history")
struct HistoryPageTests {
    /// Changes whose bodies have a little more than one MiB each.
    private func changes(_ count: Int) -> [RecordedChange] {
        let link = Link.path("/" + String(repeating: "a", count: 1 << 20))
        return (2..<2 + count).map { revision in
            RecordedChange(
                entry: LogEntry(
                    revision: revision, time: Timestamp(milliseconds: 0),
                    action: .perform(Operation(Open(link)), animated: true)),
                isHidden: false, transition: nil, title: nil)
        }
    }

    private func page(_ count: Int, limit: Int) throws -> JSONValue {
        var json = JSONWriter()
        try json.historyPage(changes(count), limit: limit)
        return try JSONValue(parsing: json.bytes, maximumDepth: 9)
    }

    @Test("A page that would be too large is refused with the limit that fits, and is never cut")
    func tooLarge() throws {
        let problem = #expect(throws: Problem.self) { _ = try page(20, limit: 12) }
        #expect(problem?.detail == "the page would be larger than 8 MiB: send limit=7")
        let fitting = try page(20, limit: 7)
        #expect(fitting["items"]?.count == 7)
        #expect(fitting["next"]?.text == "8")
        #expect(try page(7, limit: 100)["next"] == .null)
    }

    @Test("A page of one change has any size")
    func one() throws {
        let link = Link.path("/" + String(repeating: "a", count: 9 << 20))
        let change = RecordedChange(
            entry: LogEntry(
                revision: 2, time: Timestamp(milliseconds: 0),
                action: .perform(Operation(Open(link)), animated: true)),
            isHidden: false, transition: nil, title: nil)
        var json = JSONWriter()
        try json.historyPage([change, change], limit: 1)
        #expect(json.size > 9 << 20)
    }
}
