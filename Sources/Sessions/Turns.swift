/// Lets one change of a session run at a time, first come first served, also across the points
/// where it waits for the store or for a password to be hashed.
///
/// Kept by the session's actor, which is what makes it safe.
struct Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Returns: false if the caller must wait.
    mutating func takeIfFree() -> Bool {
        guard !isTaken else { return false }
        isTaken = true
        return true
    }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Hands the turn to the next in line.
    mutating func end() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
