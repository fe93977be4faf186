/// What a server hands its requests to.
public protocol RequestHandler: Sendable {
    func respond(to request: Request) async -> Response

    /// The answer to a request that is no request: the server found the problem before the routes.
    func refuse(_ problem: Problem) -> Response
}
