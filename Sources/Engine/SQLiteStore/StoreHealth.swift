import GRDB
import Synchronization
import WaypostCore

/// Whether the commits of a store can finish, and if not, the reason.
final class StoreHealth: Sendable {
    private struct State {
        /// The reason why the store refuses all commits; nil if it takes them.
        var refusal: StorageError?
        /// The earliest time for an attempt to commit again; nil if only a restart ends `refusal`.
        var nextAttempt: ContinuousClock.Instant?
        /// The earliest time for the next look at the files.
        var nextLook: ContinuousClock.Instant
        /// The time since which a commit waits or runs; nil if none does.
        var busySince: ContinuousClock.Instant?
        /// The time at which a commit last ended.
        var lastEnd: ContinuousClock.Instant
    }

    /// The time after which a commit that has not ended counts as stuck.
    static let patience = Duration.seconds(2)
    /// The time without a commit after which `needsProbe` asks for one.
    private static let probeInterval = Duration.seconds(1)

    /// The database file and the write-ahead log, as SQLite has opened them.
    private let files: [(path: String, identity: StoreFile.Identity?)]
    private let syncing: WALSync?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state: Mutex<State>

    init(
        _ path: String, _ syncing: WALSync?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        files = [path, path + "-wal"].map { ($0, StoreFile.Identity(of: $0)) }
        self.syncing = syncing
        self.now = now
        state = Mutex(State(nextLook: now(), lastEnd: now()))
    }

    /// The reason why the store refuses all commits; nil if it takes them. Each read of the property
    /// also checks that the files are in place, because SQLite would write to a deleted file without
    /// an error. Without a disk sync, commits are so fast that a check for each would cost too much.
    var refusal: StorageError? {
        state.withLock { state in
            state.refusal = state.refusal ?? syncing?.failure
            let now = now()
            guard state.refusal == nil, now >= state.nextLook else { return state.refusal }
            if syncing != nil { state.nextLook = now + .milliseconds(100) }
            if !files.allSatisfy({ StoreFile.Identity(of: $0.path) == $0.identity }) {
                state.refusal = StorageError(
                    reason: """
                        the file of the store was removed or replaced while the service used it; \
                        take a backup with waypost backup, stop the service, and restore the backup
                        """)
            }
            return state.refusal
        }
    }

    /// Returns whether the caller may try to commit although the store refuses all commits: after a full
    /// disk, once a second.
    func admitsAttempt() -> Bool {
        state.withLock { state in
            let now = now()
            guard let next = state.nextAttempt, now >= next else { return false }
            state.nextAttempt = now + Self.probeInterval
            return true
        }
    }

    /// The reason why no commit ends at present; nil if commits end.
    var stall: StorageError? {
        state.withLock { state in
            guard let start = state.busySince, now() - start >= Self.patience else { return nil }
            return StorageError(
                reason: "a commit has not ended for \((now() - start).components.seconds) s")
        }
    }

    /// Returns whether the caller must make a commit, so that the state of the store is known although
    /// no commit waits for it. After true, the commit counts as waiting.
    func needsProbe() -> Bool {
        state.withLock { state in
            let now = now()
            guard
                state.busySince == nil, state.refusal == nil || state.nextAttempt != nil,
                now - state.lastEnd >= Self.probeInterval
            else { return false }
            state.busySince = now
            return true
        }
    }

    /// Notes that a commit waits for the store, which is idle.
    func noteStart() { state.withLock { $0.busySince = $0.busySince ?? now() } }

    /// Notes that commits have ended.
    /// - Parameter isIdle: whether no other commit waits.
    func noteEnd(isIdle: Bool) {
        let now = now()
        state.withLock { state in
            state.lastEnd = now
            state.busySince = isIdle ? nil : now
        }
    }

    /// Notes that a commit has succeeded.
    func noteSuccess() {
        state.withLock { state in
            if state.nextAttempt != nil { (state.refusal, state.nextAttempt) = (nil, nil) }
        }
    }

    /// Notes that a commit has failed, so that it is unknown whether it is on disk. SQLite overwrites
    /// what a full disk has taken of the commit. After any other error the content of the disk is
    /// unknown, so that the store refuses all further commits.
    /// - Returns: the error of the commit.
    func noteFailedCommit(_ error: any Error) -> StorageError {
        let isFull = (error as? DatabaseError)?.resultCode == .SQLITE_FULL
        let advice = isFull ? "make room on the disk" : "restart the service"
        let reason = "a commit failed: \(storageCause(error)); \(advice)"
        let now = now()
        state.withLock { state in
            state.refusal = StorageError(reason: reason)
            state.nextAttempt = isFull ? now + Self.probeInterval : nil
        }
        return StorageError(reason: reason, isOutcomeUnknown: true)
    }
}
