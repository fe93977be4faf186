/// A server hands its requests to it.
public protocol RequestHandler: Sendable {
    /// Hands over the response of a request. `makeResponse` is called once, on the thread that sends the
    /// response: whoever carries out a request, such as the thread of a store, does not encode it.
    typealias Respond = @Sendable (_ makeResponse: @escaping @Sendable () -> Response) -> Void

    /// Carries out a request.
    /// - Parameter respond: to be called exactly once, on any thread, possibly before this returns.
    func handle(_ request: Request, respond: @escaping Respond)

    /// Returns the response to a message that is no request: the server found the problem before the
    /// routes.
    func refuse(_ problem: Problem) -> Response

    /// Returns the response to a message that is no request, where its head is known.
    func refuse(_ problem: Problem, headers: HeaderFields) -> Response

    /// Called for a client that waits for leave to send its body (`Expect: 100-continue`).
    /// - Parameter request: without the body.
    /// - Returns: the response to a request that is refused whatever its body is.
    func refusal(beforeBodyOf request: Request) -> Response?
}

extension RequestHandler {
    /// Carries out a request, for callers in a task.
    public func respond(to request: Request) async -> Response {
        await withCheckedContinuation { continuation in
            handle(request) { continuation.resume(returning: $0()) }
        }
    }

    public func refusal(beforeBodyOf request: Request) -> Response? { nil }

    public func refuse(_ problem: Problem, headers: HeaderFields) -> Response { refuse(problem) }
}
