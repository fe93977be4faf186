/// The error of a store operation that failed.
public struct StorageError: Error, Sendable, Equatable {
    /// The description for the log, including the error message of the underlying library.
    public let reason: String
    /// Whether the change may have been stored although the operation failed. This happens if the
    /// commit began and was not confirmed. If false, nothing was stored.
    public let isOutcomeUnknown: Bool
    /// Whether a stored row could not be read, for example because it is damaged.
    public let isUnreadable: Bool

    public init(reason: String, isOutcomeUnknown: Bool = false, isUnreadable: Bool = false) {
        self.reason = reason
        self.isOutcomeUnknown = isOutcomeUnknown
        self.isUnreadable = isUnreadable
    }

    /// The same error for a request whose own change was not sent to the store, so that it was not
    /// made. The store may only not have confirmed another write that the request needed first,
    /// such as the log-out of a session whose credential was revoked.
    public var ofUnsentChange: StorageError { StorageError(reason: reason) }
}
