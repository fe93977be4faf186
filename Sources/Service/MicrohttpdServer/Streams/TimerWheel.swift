/// A timer wheel for the deadlines of many streams. Adding or removing an entry takes constant
/// time. Times are counted in ticks, whose length the caller chooses.
///
/// An entry is only a reminder: when it is due, the caller checks the stream's present deadlines
/// and adds an entry for the next one. A deadline that moves to a later time therefore needs no
/// change in the wheel.
struct TimerWheel {
    private static let size = 64

    private var slots: [[Int]] = Array(repeating: [], count: size)
    private var tick = 0

    /// Adds an entry for a stream.
    /// - Parameters:
    ///   - id: the number of the stream.
    ///   - due: the tick at which the entry is due. If this tick is more than 63 ticks ahead, the
    ///     entry is due after 63 ticks. If this tick is not in the future, the entry is due at the
    ///     next tick.
    mutating func add(_ id: Int, due: Int) {
        let distance = min(max(due - tick, 1), Self.size - 1)
        slots[(tick + distance) % Self.size].append(id)
    }

    /// Advances the wheel to the current time, and removes the entries that are due.
    /// - Parameter now: the current tick.
    /// - Returns: the numbers of the streams whose entries are due.
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
