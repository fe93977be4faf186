/// The limits of one step of the purge. A step is short because changes wait while it runs.
struct PurgeLimits {
    var time = Duration.milliseconds(4)
    /// The maximum number of rows that a step examines, in all tables together.
    var rows = 4000
    /// The maximum size of the pages that a step changes, in bytes. Changed pages are written to the
    /// write-ahead log, and freed pages are overwritten first.
    var bytes = 1 << 19
    /// The number of changed bytes after which the next step only makes a checkpoint: it copies the
    /// write-ahead log into the database file. Otherwise SQLite would copy the pages of many steps
    /// during some client's commit.
    var checkpointBytes = 1 << 22
    /// The number of free pages that stay in the file for new rows, or an eighth of all pages if that
    /// is more.
    var freePages = 1024
    /// Returns the time since a fixed moment.
    var clock: @Sendable () -> Duration = {
        PurgeLimits.start.duration(to: .now)
    }

    private static let start = ContinuousClock.now
}

/// Counts what one step of the purge has used of its limits.
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

    /// Whether the step may examine another row. Each step examines at least one, so that the purge
    /// makes progress. A quarter of the time is reserved for removals.
    var hasRoomToLook: Bool {
        rows == 0 || rows < limits.rows && limits.clock() - start < limits.time * 3 / 4
    }

    /// Whether the step may remove another row. Each step may remove at least one.
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
