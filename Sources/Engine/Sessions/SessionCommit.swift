import WaypostCore

/// A change, and the closure to call with its result. The type is a class so that the queues hold
/// only references.
final class PendingChange: Sendable {
    let request: ChangeRequest
    /// The arrival of the request, see `RequestStart`.
    let requestStart: ContinuousClock.Instant?
    let completion: Session.Completion<ChangeResult>

    init(
        _ request: ChangeRequest, since start: ContinuousClock.Instant?,
        _ completion: @escaping Session.Completion<ChangeResult>
    ) {
        self.request = request
        requestStart = start
        self.completion = completion
    }
}

/// A change that was applied to the next state, with its result.
struct AppliedChange: Sendable {
    let change: PendingChange
    let result: Result<ChangeResult, SessionError>

    /// Returns the change with the error of its commit. A read, or a change that was refused before
    /// the commit, is no part of what the store may have written.
    func failed(_ error: SessionError) -> AppliedChange {
        var isSent = (try? result.get()) != nil
        if case .read = change.request.action { isSent = false }
        return AppliedChange(
            change: change, result: .failure(isSent ? error : error.ofUnsentChange))
    }
}

/// Changes that are stored together, and the state of the session after them. Only the session uses
/// the object, on its executor.
final class SessionCommit {
    /// The maximum number of changes in one commit. It limits the size of the rows that the commit
    /// adds to the log.
    static let limit = 64

    private(set) var nextState: NextState
    private(set) var applied: [AppliedChange] = []
    /// The earliest arrival of a request of the changes, see `RequestStart`.
    private(set) var requestStart: ContinuousClock.Instant?
    /// The changes that have arrived during this commit, applied to the state after it.
    private(set) var next: SessionCommit?
    /// Whether later changes wait for the end of this commit before they are applied, because the
    /// store may reject the commit for reasons of its own.
    private var isBarrier = false

    init(_ nextState: consuming NextState) { self.nextState = nextState }

    /// The changes of this commit and of the next one, as they were before they were applied.
    var changes: [PendingChange] { applied.map(\.change) + (next?.changes ?? []) }

    func apply(_ change: PendingChange) {
        applied.append(AppliedChange(change: change, result: nextState.apply(change.request)))
        if let start = change.requestStart { requestStart = min(requestStart ?? start, start) }
        if change.request.action.isAlone { isBarrier = true }
    }

    /// Applies a change to the state after this commit, which is in progress.
    /// - Parameter sizes: the sizes of the session's idempotency records, if the change needs them
    ///   and the next commit does not have them.
    func applyToNext(_ change: PendingChange, _ sizes: IdempotencyRecordSizes?) {
        let next = self.next ?? SessionCommit(nextState.following())
        self.next = next
        if let sizes { next.nextState.use(sizes) }
        next.apply(change)
    }

    /// Returns whether a change can be applied to the state after this commit before it has ended.
    func canPrecede(_ change: PendingChange) -> Bool {
        !isBarrier && !change.request.action.isAlone
            && (next?.applied.count ?? 0) < Self.limit
    }

    /// Whether the next commit has the sizes of the session's idempotency records.
    var nextHasRecordSizes: Bool {
        (next == nil ? nextState.recordSizes : next?.nextState.recordSizes) != nil
    }
}
