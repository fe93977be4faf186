import ArgumentParser
import Sessions

/// The options that say how long sessions live, and how much of them the service keeps.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The time from a session's last change until it expires, such as 90s, 15m, 12h or 30d.",
            valueName: "duration"))
    var sessionTtl = DurationOption.days(30)

    @Option(
        help: ArgumentHelp(
            "How many changes of each session the service keeps, with their events; 0 for no history.",
            valueName: "number"))
    var historyRetention = 10_000

    @Option(
        help: ArgumentHelp(
            "A YAML or JSON file with accounts and sessions to add at the start, for tests.",
            valueName: "file"))
    var seed: String?

    @Option(
        help: ArgumentHelp(
            "How long the service keeps the response to a request with an Idempotency-Key.",
            valueName: "duration", visibility: .hidden))
    var idempotencyTtl = DurationOption(IdempotencyPolicy().lifetime)

    @Option(
        help: ArgumentHelp(
            """
            How many requests with an Idempotency-Key a session remembers, the newest ones.
            """, valueName: "number", visibility: .hidden))
    var maxIdempotencyKeys = IdempotencyPolicy().maximumRecords

    @Option(
        help: ArgumentHelp(
            "How many sessions of 2 KB stay in memory while nobody uses them.",
            discussion: "A larger session takes the place of several.",
            valueName: "number", visibility: .hidden))
    var maxCachedSessions = 200_000

    @Option(
        help: ArgumentHelp(
            "How many changes of one session may wait while another change is in progress.",
            discussion: "A further change gets the response 429.",
            valueName: "number", visibility: .hidden))
    var maxWaitingChanges = 1000

    var idempotency: IdempotencyPolicy {
        var policy = IdempotencyPolicy()
        policy.lifetime = idempotencyTtl.duration
        policy.maximumRecords = maxIdempotencyKeys
        return policy
    }

    func validate() throws {
        try checkMinimum(
            1,
            [
                ("max-waiting-changes", maxWaitingChanges),
                ("max-idempotency-keys", maxIdempotencyKeys),
            ])
        try checkRanges([
            ("history-retention", historyRetention, 0...1_000_000_000),
            ("max-cached-sessions", maxCachedSessions, 1...1_000_000_000),
        ])
    }
}
