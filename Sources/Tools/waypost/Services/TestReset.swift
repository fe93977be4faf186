import Sessions
import Synchronization

/// Empties the service of a test suite, so that its tests can share one process.
final class TestReset: Sendable {
    /// The app to reset; nil until it is made.
    let app = Mutex<ReloadableApp?>(nil)
    private let store: MemoryStore
    private let clock: TestClock?
    private let seed: Seed?

    /// - Returns: nil for a store that is not in memory, which may have content that matters.
    init?(store: any SessionStore, clock: TestClock?, seed: Seed?) {
        guard let store = store as? MemoryStore else { return nil }
        self.store = store
        self.clock = clock
        self.seed = seed
    }

    /// Removes all sessions and accounts, puts the clock back, and makes the accounts and sessions
    /// of the seed again.
    /// - Throws: the defect of the first account or session of the seed that cannot be created.
    func run() async throws {
        guard let app = app.withLock(\.self) else { return }
        store.removeAll()
        clock?.reset()
        app.startAfresh()
        _ = try await seed?.apply(to: app.accounts, app.sessions)
    }
}
