/// One request and its answer, as the log tells it: never a path, a query, a header or a body.
public struct AccessEntry: Sendable {
    /// Of the route, with its parameters' names.
    public let route: String
    public let method: String
    public let status: Int
    public let duration: Duration
    /// Of the answer's body.
    public let bytes: Int
    public let requestID: String
    /// The beginning of the session's id.
    public var session: String?
    /// The code of the problem that is answered.
    public var problem: String?
    /// The client's trace, and what in it this request belongs to (W3C Trace Context).
    public var trace: (id: String, parent: String)?

    public init(
        route: String, method: String, status: Int, duration: Duration, bytes: Int,
        requestID: String
    ) {
        self.route = route
        self.method = method
        self.status = status
        self.duration = duration
        self.bytes = bytes
        self.requestID = requestID
    }
}
