/// The store could not do what was asked.
public struct StorageError: Error, Sendable, Equatable {
    /// For the log: what went wrong, with the error of the library that reported it.
    public let reason: String
    /// Whether the change may have been stored all the same: its commit was begun and not confirmed.
    /// Nothing was stored if this is false.
    public let isOutcomeUnknown: Bool

    public init(reason: String, isOutcomeUnknown: Bool = false) {
        self.reason = reason
        self.isOutcomeUnknown = isOutcomeUnknown
    }
}
