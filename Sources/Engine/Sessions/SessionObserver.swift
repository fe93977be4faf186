/// Learns of the changes of a session after they have been stored, see `Session.observe`.
public protocol SessionObserver: AnyObject, Sendable {
    /// Takes a stored state of the session. The session calls this method on its executor, in the
    /// order of the states. The method must not block.
    func take(_ update: SessionUpdate)
}

/// A stored state of a session, and the changes that have led to it.
public struct SessionUpdate: Sendable {
    /// The changes between the previous state and this one, in order and without gaps; nil if
    /// another process has made them. The store has the lifecycle events of all changes.
    public let changes: [ChangeResult]?
    public let state: SessionState
    /// The version of the stored row.
    public let version: RowVersion
    /// Whether a request has ended the session, or the store no longer has it.
    public let hasEnded: Bool
}

extension Session {
    /// Passes the session's state and all later ones to an observer, which replaces any earlier
    /// observer.
    /// - Parameter completion: called once, with the error of `read` if the session cannot be read.
    ///   The observer then gets nothing.
    public nonisolated func observe(
        with observer: any SessionObserver,
        _ completion: @escaping @Sendable (Result<Void, SessionError>) -> Void
    ) {
        read { result in
            // `read` calls back on the session's executor, so that no change comes in between.
            completion(result.map { _ in self.assumeIsolated { $0.install(observer) } })
        }
    }

    /// Removes an observer. Does nothing if another observer has replaced it.
    public nonisolated func removeObserver(_ observer: any SessionObserver) {
        onExecutor { $0.remove(observer) }
    }
}

extension Session {
    private func install(_ observer: any SessionObserver) {
        self.observer = Box(observer)
        tellObserver([])
    }

    private func remove(_ observer: any SessionObserver) {
        if self.observer?.value === observer { self.observer = nil }
    }

    /// Passes the present state to the observer.
    /// - Parameter changes: the changes since the last call; nil if another process has made them.
    func tellObserver(_ changes: [ChangeResult]?) {
        observer?.value.take(
            SessionUpdate(
                changes: changes, state: state, version: version, hasEnded: hasEnded))
    }
}
