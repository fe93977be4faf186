import Accounts
import Sessions

/// Removes what has expired, in small steps with pauses, so that no request waits for it.
struct Purge {
    let store: any SessionStore
    let environment: Environment

    /// What has expired stays so long: a change that began just before must find its session.
    private static let delay = Duration.seconds(3600)

    /// Ends when its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            // A store that fails says so at /readyz, and is asked again.
            let time = environment.now() + (.zero - Self.delay)
            let mayHaveMore = (try? await store.purge(before: time)) ?? false
            try? await Task.sleep(for: mayHaveMore ? .milliseconds(50) : .seconds(60))
        }
    }
}
