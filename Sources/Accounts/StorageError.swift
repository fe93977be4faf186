/// The store could not do what was asked; nothing of it has been done.
public struct StorageError: Error, Sendable, Equatable {
    public let reason: String

    public init(reason: String) { self.reason = reason }
}
