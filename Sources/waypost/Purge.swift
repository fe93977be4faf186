import Accounts
import Sessions

/// Removes what has expired, in small steps with pauses, so that no request waits for it.
struct Purge {
    let store: any SessionStore
    let environment: Environment

    /// Ends when its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            // A store that fails says so at /readyz, and is asked again.
            let mayHaveMore = (try? await store.purge(before: environment.now())) ?? false
            try? await Task.sleep(for: mayHaveMore ? .milliseconds(50) : .seconds(60))
        }
    }
}
