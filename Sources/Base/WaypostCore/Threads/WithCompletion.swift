/// Calls a function that passes its result to a closure, and returns this result. Asynchronous code
/// calls such functions in this way, so that they need no asynchronous form:
///
///     let state = try await withCompletion(session.read)
///
/// - Parameter start: calls the closure that it gets exactly once, on any thread.
/// - Throws: the error of the result.
public func withCompletion<Value: Sendable, Failure: Error>(
    _ start: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { continuation in
        start { continuation.resume(returning: $0) }
    }
    return try result.get()
}
