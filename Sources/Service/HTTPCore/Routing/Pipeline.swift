/// A router with the middleware around its routes.
public final class Pipeline: Sendable {
    public let router: Router
    private let middleware: [any Middleware]
    private let responseSteps: [any ResponseMiddleware]
    private let problemResponse: @Sendable (Problem, Context) -> Response

    /// - Parameters:
    ///   - middleware: the steps, in the order in which a request passes them. The first one counts
    ///     the requests; a request whose body has not arrived passes it only if it is refused.
    ///   - problemResponse: makes the response for a problem.
    public init(
        _ router: Router, _ middleware: [any Middleware],
        problemResponse: @escaping @Sendable (Problem, Context) -> Response
    ) {
        self.router = router
        self.middleware = middleware
        responseSteps = middleware.reversed().compactMap { $0 as? any ResponseMiddleware }
        self.problemResponse = problemResponse
    }

    /// Carries out a request.
    /// - Returns: the answer, which never throws a problem.
    public func answer(_ request: Request) -> Answer {
        let context = router.match(request)
        do throws(Problem) {
            for step in middleware { try step.before(context) }
            switch try router.answer(context) {
            case .ready(let response): return .ready(finish(response, context))
            case .later(let work):
                return .later { reply in
                    work { makeResponse in reply { self.response(of: makeResponse, context) } }
                }
            }
        } catch {
            return .ready(finish(problemResponse(error, context), context))
        }
    }

    private func response(of make: Answer.DeferredResponse, _ context: Context) -> Response {
        do throws(Problem) {
            return finish(try make(), context)
        } catch {
            return finish(problemResponse(error, context), context)
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
        let context = router.match(request)
        do throws(Problem) {
            for step in middleware.dropFirst() { try step.before(context) }
            if let refusal = context.refusal { throw refusal }
            if let route = context.route { try check(route) }
            return nil
        } catch {
            try? middleware.first?.before(context)
            return finish(problemResponse(error, context), context)
        }
    }

    private func finish(
        _ response: consuming Response, _ context: Context
    ) -> Response {
        for step in responseSteps { step.after(context, &response) }
        return response
    }
}
