/// What answers one method of one path.
public struct Route: Sendable {
    public typealias Handler =
        @Sendable (Request, PathParameters) async throws(Problem) -> Response

    public let method: Method
    /// Such as `/v1/sessions/{session}/push`.
    public let path: String
    /// The media types of its answers, in lower case: a client that takes none of them is refused.
    /// Empty where nothing is sent, or where the handler looks itself.
    public let produces: [String]
    public let handler: Handler

    public init(
        _ method: Method, _ path: String, produces: [String] = ["application/json"],
        handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.produces = produces
        self.handler = handler
    }
}

/// What stands in a request's path where the route has `{…}`, decoded, in order.
public struct PathParameters: Sendable {
    private var values: [String] = []

    public init() {}

    mutating func append(_ value: String) { values.append(value) }

    /// - Precondition: the route's path has that many parameters.
    public subscript(index: Int) -> String { values[index] }
}
