import Synchronization

/// The indices of rows by title, for each list of rows in which a title was looked for. The data
/// never changes, so each list is read once, by the first search in it.
final class TitleIndexes: Sendable {
    private struct List: Hashable {
        let binding: String
        let ids: [String]
    }

    private let known = Mutex<[List: [String: [Int]]]>([:])

    /// Returns the indices of the rows with a title, in ascending order.
    /// - Parameters:
    ///   - ids: the ids of the records that select the rows of the binding.
    ///   - titles: returns the titles of all rows.
    func indices(
        of title: String, in binding: String, below ids: [String] = [], titles: () -> [String]
    ) -> [Int] {
        let list = List(binding: binding, ids: ids)
        if let found = known.withLock({ $0[list] }) { return found[title] ?? [] }
        let indices = Dictionary(grouping: titles().enumerated(), by: \.element)
            .mapValues { $0.map(\.offset) }
        known.withLock { $0[list] = indices }
        return indices[title] ?? []
    }
}
