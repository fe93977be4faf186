import WaypostCore

/// Counts password log-ins by result.
struct LogInMetrics: Sendable {
    let verified = Counter()
    private let wrong = Counter()
    private let throttled = Counter()
    private let busy = Counter()
    private let failed = Counter()

    /// The number of log-ins that had a wrong password or that the rate limit refused.
    var refused: Int { wrong.value + throttled.value }

    func count(_ error: SessionError) {
        switch error {
        case .wrongCredentials: wrong.increment()
        case .throttled: throttled.increment()
        case .passwordsBusy: busy.increment()
        default: failed.increment()
        }
    }

    var families: [Family] {
        [
            .counters(
                "waypost_log_ins_total", "Log-ins with a password, by result.", label: "result",
                [
                    ("busy", busy), ("failed", failed), ("throttled", throttled),
                    ("verified", verified), ("wrong", wrong),
                ])
        ]
    }
}
