import Logging
import Sessions
import WaypostCore

/// Removes expired sessions and other expired data from the store, in small steps with pauses, so
/// that requests do not wait long. `run` returns when its task is cancelled.
struct Purge {
    let store: any SessionStore
    let environment: Environment
    let logger: Logger

    /// The time for which expired data stays in the store. A change that has begun before the
    /// expiry of its session can thus still read the session.
    private static let delay = Duration.seconds(3600)

    func run() async {
        while !Task.isCancelled {
            let mayHaveMore = await step()
            try? await Task.sleep(for: mayHaveMore ? .milliseconds(50) : .seconds(60))
        }
    }

    private func step() async -> Bool {
        do {
            return try await store.purge(before: environment.now() + (.zero - Self.delay))
        } catch {
            // A stop does not wait for the store, which may not respond.
            if Task.isCancelled { return false }
            // A failing store also makes /readyz fail; the purge is tried again later.
            let cause = if case .storage(let error) = error { error.reason } else { "\(error)" }
            logger.error(
                "expired data cannot be removed from the store", metadata: ["cause": "\(cause)"])
            return false
        }
    }
}
