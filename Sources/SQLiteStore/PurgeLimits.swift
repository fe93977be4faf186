/// How much one step of the purge does: changes wait for it.
struct PurgeLimits {
    var time = Duration.milliseconds(4)
    /// That are looked at, in all tables together.
    var rows = 4000
    /// That are changed, in whole pages: they are written to the log, and a page that is freed is
    /// overwritten first.
    var bytes = 1 << 19
    /// After so many bytes SQLite's log is copied into the file, as a step of its own: else a change
    /// would have to wait, now and then, until all that many steps have written is copied.
    var checkpointBytes = 1 << 22
    /// So many free pages stay in the file, or an eighth of all, as new rows need some.
    var freePages = 1024
    /// The time since any moment.
    var clock: @Sendable () -> Duration = {
        PurgeLimits.start.duration(to: .now)
    }

    private static let start = ContinuousClock.now
}

/// The rest of one step's limits.
struct PurgeBudget {
    private let limits: PurgeLimits
    private let start: Duration
    private var rows = 0
    private(set) var bytes = 0
    private var removals = 0

    init(_ limits: PurgeLimits) {
        self.limits = limits
        start = limits.clock()
    }

    /// Whether more rows may be looked at. At least one is, or there would be no end; and a quarter of
    /// the time is left for removing those that have expired.
    var hasRoomToLook: Bool {
        rows == 0 || rows < limits.rows && limits.clock() - start < limits.time * 3 / 4
    }

    /// Whether more may be removed. Once in each step, at least.
    var hasRoomToRemove: Bool {
        removals == 0
            || bytes < limits.bytes && limits.clock() - start < limits.time
    }

    mutating func noteRow() { rows += 1 }

    mutating func noteRemoval(changing bytes: Int) {
        removals += 1
        self.bytes += bytes
    }
}
