import WaypostCore

/// Counts the sessions that are opened and ended, and the operations by their outcome. Each count
/// is one atomic addition.
public struct SessionMetrics: Sendable {
    let opened = Counter()
    private let endedByClient = Counter()
    private let endedByOperator = Counter()
    private let changed = Counter()
    private let unchanged = Counter()
    private let refused = Counter()
    private let precondition = Counter()
    private let failed = Counter()

    public init() {}

    func countEnd(by origin: SessionDirectory.EndOrigin) {
        switch origin {
        case .client: endedByClient.increment()
        case .operator: endedByOperator.increment()
        }
    }

    /// Counts an operation or a log-out. Other changes of a session are not counted.
    func count(
        _ action: ChangeRequest.Action, _ result: Result<ChangeResult, SessionError>
    ) {
        switch action {
        case .perform, .logOut: break
        case .end, .logIn, .fallBack, .rename, .read: return
        }
        switch result {
        case .success(let result): (result.outcome.changed ? changed : unchanged).increment()
        case .failure(.navigation): refused.increment()
        case .failure(.revisionMismatch): precondition.increment()
        // The client gets the response that another process has stored.
        case .failure(.recordExists): break
        case .failure: failed.increment()
        }
    }

    /// Returns the metrics of sessions and their operations.
    /// - Parameter expired: the store's counter of the expired sessions that it has removed.
    func families(expired: Counter) -> [Family] {
        [
            .counter("waypost_sessions_opened_total", "Sessions that were opened.", opened),
            .counters(
                "waypost_sessions_ended_total", "Sessions that were ended, by whom.",
                label: "by",
                [
                    ("client", endedByClient), ("expiry", expired), ("operator", endedByOperator),
                ]),
            .counters(
                "waypost_operations_total", "Operations on sessions, by outcome.",
                label: "outcome",
                [
                    ("changed", changed), ("failed", failed), ("precondition", precondition),
                    ("refused", refused), ("unchanged", unchanged),
                ]),
        ]
    }
}
