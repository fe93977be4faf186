import Dispatch
import WaypostCore

/// A request, and the facts about it that the router and the middleware have found.
///
/// The type is `@unchecked Sendable` because only `Middleware.before` sets its variables, and no
/// other thread has the object yet.
public final class Context: @unchecked Sendable {
    public let request: Request
    /// The index of the matching path in `Router.paths(of:)`; nil if no path matches.
    public let path: Int?
    /// The values of the parameters in the route's path.
    public let parameters: PathParameters
    /// The route that carries out the request; nil if the router itself responds, to `OPTIONS` or
    /// with `refusal`.
    public let route: Route?
    /// The problem to respond with: `.notFound` or `.methodNotAllowed` if no route matches,
    /// `.notAcceptable` if the client does not accept the route's media types.
    public let refusal: Problem?
    /// The value of `Allow` in the response to `OPTIONS`.
    let allow: String
    /// The time when the request was complete.
    public let start = DispatchTime.now()
    /// The value of `X-Request-ID` in the response; nil before the step that sets it, and in a
    /// service without such a step.
    public var requestID: String?
    /// The hash of the bearer token, if the route requires one.
    public var bearer: SecretHash?
    /// The value of `Idempotency-Key` of a change; nil if the request has none.
    public var idempotencyKey: String?

    init(
        _ request: Request, path: Int?, _ parameters: PathParameters, _ route: Route?,
        _ refusal: Problem?, allow: String
    ) {
        self.request = request
        self.path = path
        self.parameters = parameters
        self.route = route
        self.refusal = refusal
        self.allow = allow
    }
}
