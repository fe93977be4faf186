/// What a server hands its requests to.
public protocol RequestHandler: Sendable {
    /// In bytes. A larger body is refused with 413 before it is read.
    var maximumBodySize: Int { get }

    func respond(to request: Request) async -> Response

    /// The answer to a request that is no request: the server found the problem before the routes.
    func refuse(_ problem: Problem) -> Response

    /// The same where the head of the request is known.
    func refuse(_ problem: Problem, headers: HeaderFields) -> Response
}

extension RequestHandler {
    public func refuse(_ problem: Problem, headers: HeaderFields) -> Response { refuse(problem) }
}
