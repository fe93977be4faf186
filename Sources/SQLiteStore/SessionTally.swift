/// Counts the sessions as the purge passes them: SQLite would read the whole table to count it.
struct SessionTally {
    /// On the last pass that came to the end; nil before.
    private(set) var last: Int?
    private var sum = 0

    mutating func add(_ count: Int, isLast: Bool) {
        sum += count
        guard isLast else { return }
        last = sum
        sum = 0
    }
}
