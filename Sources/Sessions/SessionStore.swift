import Navigation

/// Where sessions outlive a request. When a call returns, what it wrote is safe.
public protocol SessionStore: Sendable {
    func insert(_ record: SessionRecord, events: [LifecycleEvent]) async throws(StorageError)

    /// - Returns: nil if there is no such session.
    func record(_ id: SessionID) async throws(StorageError) -> SessionRecord?

    /// Writes a change and its events, both or neither.
    func update(_ record: SessionRecord, events: [LifecycleEvent]) async throws(StorageError)

    /// Nothing happens if there is no such session.
    func delete(_ id: SessionID) async throws(StorageError)

    /// - Parameter after: the number of the last event that is not wanted.
    /// - Returns: at most `limit` events, in order; none if there is no such session.
    func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(StorageError) -> [LifecycleEvent]
}

/// The store could not do what was asked; nothing of it has been done.
public struct StorageError: Error, Sendable, Equatable {
    public let reason: String

    public init(reason: String) { self.reason = reason }
}
