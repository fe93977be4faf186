/// The limits of one step of the purge, which removes expired data from the store. A step is short
/// because changes wait while it runs.
struct PurgeLimits {
    var time = Duration.milliseconds(4)
    /// The maximum number of rows that a step examines, in all tables together.
    var rows = 4000
    /// The maximum size of the pages that a step changes, in bytes. SQLite writes each changed page
    /// to the write-ahead log, and fills each freed page with zeros first.
    var bytes = 1 << 19
    /// The number of changed bytes after which the next step only makes a checkpoint: SQLite copies
    /// the write-ahead log into the database file. Without such checkpoints, SQLite would copy the
    /// pages of many steps during a client's commit.
    var checkpointBytes = 1 << 22
    /// The number of free pages that the purge leaves in the file for new rows. If an eighth of the
    /// file's pages is more than this number, the purge leaves an eighth of the pages free instead.
    var freePages = 1024
    /// Returns the time since a fixed moment. The purge measures the duration of a step with it.
    var clock: @Sendable () -> Duration = {
        PurgeLimits.start.duration(to: .now)
    }

    private static let start = ContinuousClock.now
}

/// Counts how much of its limits one step of the purge has used.
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

    /// Whether the step may examine another row. Each step may examine at least one row, so that
    /// the purge makes progress. The step stops examining rows after three quarters of its time and
    /// uses the rest to remove rows.
    var hasRoomToLook: Bool {
        rows == 0 || rows < limits.rows && limits.clock() - start < limits.time * 3 / 4
    }

    /// Whether the step may remove another row. Each step may remove at least one row, so that the
    /// purge makes progress.
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
