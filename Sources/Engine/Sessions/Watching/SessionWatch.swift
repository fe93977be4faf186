import Synchronization
import WaypostCore

/// Collects the stored changes of a session until `take` returns and removes them. A watched session
/// has only one watch; its owner passes the changes on to all clients that follow the session.
public final class SessionWatch: Sendable {
    /// The changes and the state that a session has stored since the last call of `take`.
    public struct News: Sendable {
        /// The changes, in order and without gaps; empty if `isIncomplete`.
        public fileprivate(set) var changes: [ChangeResult] = []
        /// The session's last state. Nil if nothing happened except that the store no longer has
        /// the session.
        public fileprivate(set) var latest: SessionState?
        /// Whether `changes` lacks some changes, because there were too many or because another
        /// process made them. The store has the lifecycle events of all changes.
        public fileprivate(set) var isIncomplete = false
        /// Whether a request has ended the session, or the store no longer has it.
        public fileprivate(set) var hasEnded = false
    }

    /// The maximum number of changes that the watch holds until the next call of `take`.
    static let limit = 32

    private let news = Mutex<News?>(nil)
    private let notify = Mutex<(@Sendable () -> Void)?>(nil)
    private let account = Mutex(Account())

    /// The account that the session is logged in to.
    private struct Account {
        var credential: SecretHash?
        var notify: (@Sendable (Username?) -> Void)?
    }

    public init() {}

    /// Sets the closure that is called when news arrives and no earlier news is waiting for `take`.
    /// The closure runs on the thread that handles the stored change, and must not block.
    public func onNews(_ notify: @escaping @Sendable () -> Void) {
        self.notify.withLock { $0 = notify }
    }

    /// Sets the closure that is called with the username of the account that the session is logged
    /// in to, nil if there is none, when the watch begins and after each log-in and log-out.
    public func onAccount(_ notify: @escaping @Sendable (Username?) -> Void) {
        account.withLock { $0.notify = notify }
    }

    func noteCredential(of session: SessionState) {
        let notify = account.withLock { account in
            defer { account.credential = session.credential }
            return account.credential == session.credential ? nil : account.notify
        }
        notify?(session.username)
    }

    /// Returns the news since the last call of `take`; nil if there is none.
    public func take() -> News? {
        news.withLock { news in
            defer { news = nil }
            return news
        }
    }

    /// Adds changes that were stored, in the order of their revisions.
    /// - Parameters:
    ///   - latest: the session's state after the changes.
    ///   - hasEnded: whether the session has ended.
    func note(_ changes: some Sequence<ChangeResult>, latest: SessionState, hasEnded: Bool) {
        noteCredential(of: latest)
        add { news in
            news.latest = latest
            news.hasEnded = hasEnded
            for change in changes where change.outcome.changed {
                news.isIncomplete = news.isIncomplete || news.changes.count >= Self.limit
                if news.isIncomplete { news.changes = [] } else { news.changes.append(change) }
            }
        }
    }

    /// Adds a state that another process has stored.
    /// - Parameter snapshot: the state; nil if the store no longer has the session.
    func note(reloaded snapshot: SessionState?) {
        if let snapshot { noteCredential(of: snapshot) }
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
    /// Makes a watch collect all later changes of the session, and replaces any earlier watch.
    /// - Parameter completion: called once, with the session's state at the start of the watch, or
    ///   with the error if the session cannot be read. After an error, the watch is not installed.
    public nonisolated func watch(
        with watch: SessionWatch, _ completion: @escaping Completion<SessionState>
    ) {
        read { result in
            // `read` calls back on the session's executor, so that no change comes in between.
            completion(result.map { _ in self.assumeIsolated { $0.install(watch) } })
        }
    }

    /// Removes a watch. Does nothing if another watch has replaced it.
    public nonisolated func unwatch(_ watch: SessionWatch) {
        onExecutor { $0.remove(watch) }
    }
}
