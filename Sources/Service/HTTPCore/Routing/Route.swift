import WaypostCore

/// A route: the handler for one method of one path. The type is a class so that the match of a
/// request stores only a reference to its route.
public final class Route: Sendable {
    /// A closure that carries out the request of the context, and must not block the calling
    /// thread. It throws the problem to respond with.
    public typealias Handler = @Sendable (Context) throws(Problem) -> Answer

    public let method: Method
    /// The path pattern, such as `/v1/sessions/{session}/push`.
    public let path: String
    /// The names of the query parameters that the route accepts.
    public let query: [String]
    /// The media types of the route's responses, in lower case. The router refuses a request whose
    /// client accepts none of them. The array is empty if the route sends no content, or if the
    /// handler itself checks the `Accept` field.
    public let produces: [String]
    /// The purpose of the bearer token that a request must have; nil if it needs none.
    public let bearer: Secret.Purpose?
    /// Whether the route responds although the server has too many connections or requests.
    public let isUrgent: Bool
    public let handler: Handler

    public init(
        _ method: Method, _ path: String, query: [String] = [],
        produces: [String] = ["application/json"], bearer: Secret.Purpose? = nil,
        isUrgent: Bool = false, _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.produces = produces
        self.bearer = bearer
        self.isUrgent = isUrgent
        self.handler = handler
    }

    /// Creates a route whose handler is an asynchronous function, see `Answer.task`.
    public convenience init(
        _ method: Method, _ path: String, query: [String] = [],
        produces: [String] = ["application/json"],
        task: @escaping @Sendable (Context) async throws -> Answer.DeferredResponse
    ) {
        self.init(method, path, query: query, produces: produces) { context in
            .task { try await task(context) }
        }
    }

    /// Returns this route with the purpose of the bearer token that a request must have.
    public func requiring(_ bearer: Secret.Purpose) -> Route {
        Route(
            method, path, query: query, produces: produces, bearer: bearer, isUrgent: isUrgent,
            handler)
    }
}

/// The values of the parameters in a route's path, in order. The value of a parameter such as
/// `{session}` is the decoded segment at its position in the request's path.
public struct PathParameters: Sendable {
    /// The maximum number of parameters in a path; the router checks it. With at most two
    /// parameters, the type stores the values in two properties, without the allocation that an
    /// array needs.
    static let limit = 2

    private var first: Substring = ""
    private var second: Substring = ""
    private var count = 0

    public init() {}

    mutating func append(_ value: Substring) {
        if count == 0 { first = value } else { second = value }
        count += 1
    }

    /// The value of the parameter at an index, counted from 0.
    /// - Precondition: `index` is less than the number of parameters in the route's path.
    public subscript(index: Int) -> Substring {
        precondition(index < count)
        return index == 0 ? first : second
    }
}

/// The interface through which a server passes its requests to the service.
public protocol RequestHandler: Sendable {
    /// Carries out a request.
    func answer(_ request: Request) -> Answer

    /// Returns whether a request gets its response although the server has too many connections or
    /// requests. Called only then. The handler must carry out such a request at once.
    func isUrgent(_ request: Request) -> Bool

    /// Returns the response for a problem that the server itself finds, such as a timeout.
    /// - Parameter headers: the header fields of the request, as far as the server has read them.
    func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response

    /// Decides whether a client may send the body of its request. Called if the client asks for
    /// permission with `Expect: 100-continue`.
    /// - Parameter request: the request without its body.
    /// - Returns: the response if the request is refused regardless of its body; nil to accept the
    ///   body.
    func rejectionResponse(beforeBodyOf request: Request) -> Response?
}

extension RequestHandler {
    public func isUrgent(_ request: Request) -> Bool { false }

    public func rejectionResponse(beforeBodyOf request: Request) -> Response? { nil }

    public func rejectionResponse(for problem: Problem) -> Response {
        rejectionResponse(for: problem, headers: HeaderFields())
    }
}
