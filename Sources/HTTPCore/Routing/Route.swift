/// What answers one method of one path. A class, as a match hands out one of them for each request.
public final class Route: Sendable {
    public typealias Handler =
        @Sendable (Request, PathParameters) async throws(Problem) -> Response

    /// - Returns: nil if the other handler has to answer.
    public typealias ImmediateHandler =
        @Sendable (Request, PathParameters) throws(Problem) -> ImmediateAnswer?

    public enum ImmediateAnswer: Sendable {
        case here(Response)
        /// The work has begun.
        case pending(PendingAnswer)
    }

    public let method: Method
    /// Such as `/v1/sessions/{session}/push`.
    public let path: String
    /// The media types of its answers, in lower case: a client that takes none of them is refused.
    /// Empty where nothing is sent, or where the handler looks itself.
    public let produces: [String]
    public let handler: Handler
    /// Asked first, where there is one.
    public let immediateHandler: ImmediateHandler?

    /// - Parameters:
    ///   - immediateHandler: answers what needs no task.
    public init(
        _ method: Method, _ path: String, produces: [String] = ["application/json"],
        immediateHandler: ImmediateHandler? = nil, handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.produces = produces
        self.handler = handler
        self.immediateHandler = immediateHandler
    }

    /// What never has to wait.
    public convenience init(
        _ method: Method, _ path: String, produces: [String] = ["application/json"],
        immediate: @escaping @Sendable (Request, PathParameters) throws(Problem) -> Response
    ) {
        self.init(
            method, path, produces: produces,
            immediateHandler: { (request, parameters) throws(Problem) in
                .here(try immediate(request, parameters))
            },
            handler: { (request, parameters) async throws(Problem) in
                try immediate(request, parameters)
            })
    }
}
