import Dispatch
import WaypostCore

/// A step that all requests of a service pass, such as the check of a token. `Pipeline` calls the
/// steps in order before the handler, and in the reverse order after it.
public protocol Middleware: Sendable {
    /// Runs before the handler, on the thread that has received the request, and must not block it.
    /// - Parameter context: takes the result of the step, for later steps and the handler.
    /// - Throws: the problem to respond with. The later steps and the handler are then left out.
    func before(_ request: Request, _ context: inout Context) throws(Problem)

    /// Runs for every response, also for that of a problem, on the thread that sends it.
    func after(_ request: Request, _ context: Context, _ response: inout Response)
}

extension Middleware {
    public func before(_ request: Request, _ context: inout Context) throws(Problem) {}
    public func after(_ request: Request, _ context: Context, _ response: inout Response) {}
}

/// The facts about a request that the router and the middleware have found.
public struct Context: Sendable {
    public let match: Router.Match
    /// The value of `X-Request-ID` in the response; nil before the step that sets it, and in a
    /// service without such a step.
    public var requestID: String?
    /// The time when the request was complete.
    public let start: DispatchTime
    /// The hash of the bearer token, if the route requires one.
    public var bearer: SecretHash?
    /// The value of `Idempotency-Key` of a change; nil if the request has none.
    public var idempotencyKey: String?

    public init(_ match: Router.Match) {
        self.match = match
        start = .now()
    }

    /// The route that carries out the request; nil if the router itself responds.
    public var route: Route? {
        if case .success(let route) = match.route { route } else { nil }
    }

    /// The values of the parameters in the route's path.
    public var parameters: PathParameters { match.parameters }
}

/// A router with the middleware around its routes.
public struct Pipeline: Sendable {
    public let router: Router
    private let middleware: [any Middleware]
    private let problemResponse: @Sendable (Problem, Context) -> Response

    /// - Parameters:
    ///   - middleware: the steps, in the order in which a request passes them.
    ///   - problemResponse: makes the response for a problem.
    public init(
        _ router: Router, _ middleware: [any Middleware],
        problemResponse: @escaping @Sendable (Problem, Context) -> Response
    ) {
        self.router = router
        self.middleware = middleware
        self.problemResponse = problemResponse
    }

    /// Carries out a request.
    /// - Parameter respond: called once, on any thread, possibly before this method returns.
    public func handle(_ request: Request, respond: @escaping RequestHandler.Respond) {
        var context = Context(router.match(request))
        let answer: Answer
        do throws(Problem) {
            for step in middleware { try step.before(request, &context) }
            answer = try router.answer(to: request, context)
        } catch {
            answer = .ready(problemResponse(error, context))
        }
        let seen = context
        switch answer {
        case .ready(let response):
            let response = finish(response, request, seen)
            respond { response }
        case .later(let work):
            work { makeResponse in
                respond {
                    do throws(Problem) {
                        return finish(try makeResponse(), request, seen)
                    } catch {
                        return finish(problemResponse(error, seen), request, seen)
                    }
                }
            }
        }
    }

    /// Decides whether a client that asks first (`Expect: 100-continue`) may send its body.
    /// - Parameters:
    ///   - request: the request without its body.
    ///   - check: the check in place of the handler.
    /// - Returns: the response if the request is refused; nil to accept the body. The middleware sees
    ///   an accepted request again with its body.
    public func refusal(
        beforeBodyOf request: Request, _ check: (Route) throws(Problem) -> Void
    ) -> Response? {
        var context = Context(router.match(request))
        do throws(Problem) {
            // The first step counts requests, and this one is not complete.
            for step in middleware.dropFirst() { try step.before(request, &context) }
            if let route = try context.match.route.get() { try check(route) }
            return nil
        } catch {
            try? middleware.first?.before(request, &context)
            return finish(problemResponse(error, context), request, context)
        }
    }

    private func finish(
        _ response: consuming Response, _ request: Request, _ context: Context
    ) -> Response {
        for step in middleware.reversed() { step.after(request, context, &response) }
        return response
    }
}
