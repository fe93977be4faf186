/// The deadlines of many streams, with a constant cost for each entry. Time counts in ticks.
///
/// An entry is only a reminder: when it is due, its owner checks its own deadlines and adds a new
/// entry for the next of them. A deadline that moves to a later time therefore costs nothing.
struct TimerWheel {
    private static let size = 64

    private var slots: [[Int]] = Array(repeating: [], count: size)
    private var tick = 0

    /// Adds an entry.
    /// - Parameter due: the tick at which the entry is due. An entry that lies further ahead than
    ///   the wheel's size is due earlier, and one that lies in the past is due at the next tick.
    mutating func add(_ id: Int, due: Int) {
        let distance = min(max(due - tick, 1), Self.size - 1)
        slots[(tick + distance) % Self.size].append(id)
    }

    /// Advances the wheel to the current time. Removes the entries that are due, and returns them.
    /// - Parameter now: the current tick.
    mutating func advance(to now: Int) -> [Int] {
        var due: [Int] = []
        // After a whole turn of the wheel, every slot is due.
        for _ in 0..<min(max(now - tick, 0), Self.size) {
            tick += 1
            let slot = tick % Self.size
            if due.isEmpty { swap(&due, &slots[slot]) } else { due += slots[slot] }
            slots[slot].removeAll()
        }
        tick = max(tick, now)
        return due
    }
}
