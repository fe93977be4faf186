@testable import Sessions

/// A page of the history of a session.
struct TestHistoryPage {
    let changes: [RecordedChange]
    let oldest: Int
    let last: Int
}

extension SessionHistory {
    /// Returns a page of the session's changes.
    func page(
        after: Int, limit: Int, for reader: HistoryReader = .patient
    ) async throws(SessionError) -> TestHistoryPage {
        var changes: [RecordedChange] = []
        let range = try await page(after: after, limit: limit, for: reader) {
            changes.append($0)
            return true
        }
        return TestHistoryPage(changes: changes, oldest: range.oldest, last: range.last)
    }
}
