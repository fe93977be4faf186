import Accounts
import Logging
import ServiceLifecycle
import Sessions

/// Removes what has expired, in small steps with pauses, so that no request waits for it.
struct Purge: Service {
    let store: any SessionStore
    let environment: Environment
    let logger: Logger

    /// What has expired stays so long: a change that began just before must find its session.
    private static let delay = Duration.seconds(3600)

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let mayHaveMore = await step()
                try? await Task.sleep(for: mayHaveMore ? .milliseconds(50) : .seconds(60))
            }
        }
    }

    private func step() async -> Bool {
        do {
            return try await store.purge(before: environment.now() + (.zero - Self.delay))
        } catch {
            // A store that fails says so at /readyz, too, and is asked again.
            logger.error("what has expired cannot be removed", metadata: ["cause": "\(error)"])
            return false
        }
    }
}
