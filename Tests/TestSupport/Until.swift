/// Returns when a condition holds. The condition is tried each millisecond, so that the processor is
/// free for the work that the test waits for; a loop of `Task.yield` would take it from this work. Also
/// returns when the time limit of the test has ended the task.
public func until(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows {
    while try await !condition(), !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(1))
    }
}
