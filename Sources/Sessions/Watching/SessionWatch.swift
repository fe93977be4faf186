import Synchronization

/// Collects the stored changes of a session until the watcher calls `take`. A watched session has
/// one watch; any number of clients can share it.
public final class SessionWatch: Sendable {
    /// What a session has published since the last call of `take`.
    public struct News: Sendable {
        /// The changes, in order and without gaps; empty if `isIncomplete`.
        public fileprivate(set) var changes: [ChangeResult] = []
        /// The session's last state; nil if the only news is that the store no longer has the session.
        public fileprivate(set) var latest: SessionSnapshot?
        /// Whether changes are missing in `changes`: there were too many, or another process made them.
        /// The store has their events.
        public fileprivate(set) var isIncomplete = false
        /// Whether a request has ended the session, or the store no longer has it.
        public fileprivate(set) var hasEnded = false
    }

    /// The maximum number of changes that wait for the watcher.
    static let limit = 32

    private let news = Mutex<News?>(nil)
    private let notify = Mutex<(@Sendable () -> Void)?>(nil)

    public init() {}

    /// Sets the closure that is called when news arrives and all earlier news has been taken. The
    /// closure runs on the thread that publishes the change, and must not wait.
    public func onNews(_ notify: @escaping @Sendable () -> Void) {
        self.notify.withLock { $0 = notify }
    }

    /// Returns the news since the last call; nil if there is none.
    public func take() -> News? {
        news.withLock { news in
            defer { news = nil }
            return news
        }
    }

    /// Adds published changes, in the order of their revisions.
    func note(_ changes: some Sequence<ChangeResult>, latest: SessionSnapshot, hasEnded: Bool) {
        add { news in
            news.latest = latest
            news.hasEnded = hasEnded
            for change in changes where change.outcome.changed {
                news.isIncomplete = news.isIncomplete || news.changes.count >= Self.limit
                if news.isIncomplete { news.changes = [] } else { news.changes.append(change) }
            }
        }
    }

    /// Adds a state that another process has stored; nil if the store no longer has the session.
    func note(reloaded snapshot: SessionSnapshot?) {
        add { news in
            news.latest = snapshot ?? news.latest
            news.hasEnded = snapshot == nil
            news.isIncomplete = true
            news.changes = []
        }
    }

    private func add(_ body: (inout News) -> Void) {
        let isFirst = news.withLock { news in
            var added = news ?? News()
            body(&added)
            defer { news = added }
            return news == nil
        }
        if isFirst { notify.withLock(\.self)?() }
    }
}

extension Session {
    /// Makes a watch collect what the session publishes from now on, and removes any earlier watch.
    /// - Parameter completion: called once with the session's state at that moment, as for `read`. If
    ///   it is called with an error, the session has no new watch.
    public nonisolated func watch(
        with watch: SessionWatch,
        _ completion: @escaping @Sendable (Result<SessionSnapshot, SessionError>) -> Void
    ) {
        read { result in
            // `read` calls back on the session's executor, so that no change comes in between.
            completion(result.map { _ in self.assumeIsolated { $0.install(watch) } })
        }
    }

    /// Removes a watch, unless another one has taken its place.
    public nonisolated func unwatch(_ watch: SessionWatch) {
        onExecutor { $0.remove(watch) }
    }
}
