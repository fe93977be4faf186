/// What a server hands its requests to.
public protocol RequestHandler: Sendable {
    /// Most requests have nothing to wait for: they need no task.
    func reply(to request: Request) -> Reply

    /// The answer to a request that is no request: the server found the problem before the routes.
    func refuse(_ problem: Problem) -> Response

    /// The same where the head of the request is known.
    func refuse(_ problem: Problem, headers: HeaderFields) -> Response

    /// Asked for a client that waits for leave to send its body (`Expect: 100-continue`).
    /// - Parameter request: without the body.
    /// - Returns: the answer to a request that is refused whatever its body is.
    func refusal(beforeBodyOf request: Request) -> Response?
}

extension RequestHandler {
    public func respond(to request: Request) async -> Response {
        switch reply(to: request) {
        case .now(let response): response
        case .soon(let sendLater):
            await withCheckedContinuation { continuation in
                sendLater { continuation.resume(returning: $0) }
            }
        case .later(let work): await work()
        }
    }

    public func refusal(beforeBodyOf request: Request) -> Response? { nil }

    public func refuse(_ problem: Problem, headers: HeaderFields) -> Response { refuse(problem) }
}
