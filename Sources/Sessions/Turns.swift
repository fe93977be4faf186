/// Lets one change run at a time, first come first served, also across the points where it waits
/// for the store or for a password to be hashed. Its owner makes it safe.
struct Turns {
    /// Resumed with true: the turn is theirs.
    typealias Waiting = CheckedContinuation<Bool, Never>

    private var waiting: [Waiting] = []
    private(set) var isTaken = false

    var waitingCount: Int { waiting.count }

    /// - Returns: false if the caller must wait.
    mutating func takeIfFree() -> Bool {
        guard !isTaken else { return false }
        isTaken = true
        return true
    }

    mutating func wait(_ continuation: Waiting) {
        waiting.append(continuation)
    }

    /// - Returns: the next in line, to be resumed: the turn is theirs.
    mutating func end() -> Waiting? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        isTaken = false
        return nil
    }
}
