/// The error of a failed store operation.
public struct StorageError: Error, Sendable, Equatable {
    /// The description for the log, with the underlying library's error.
    public let reason: String
    /// Whether the change may have been stored: its commit began and was not confirmed. If false,
    /// nothing was stored.
    public let isOutcomeUnknown: Bool

    public init(reason: String, isOutcomeUnknown: Bool = false) {
        self.reason = reason
        self.isOutcomeUnknown = isOutcomeUnknown
    }
}
