import WaypostCore

/// A route: one method of one path. The type is a class so that each match only refers to its
/// route.
public final class Route: Sendable {
    /// A closure that makes a response on the thread that sends it.
    public typealias ResponseMaker = @Sendable () throws(Problem) -> Response

    /// A closure that carries out a request.
    ///
    /// The handler either calls `respond` exactly once, on any thread, possibly before it returns;
    /// or it throws and does not call `respond`.
    public typealias Handler =
        @Sendable (
            Request, PathParameters,
            _ respond: @escaping @Sendable (@escaping ResponseMaker) -> Void
        ) throws(Problem) -> Void

    public let method: Method
    /// The path pattern, such as `/v1/sessions/{session}/push`.
    public let path: String
    /// The media types of the route's responses, in lower case. The router refuses a client that
    /// accepts none of them. Empty if the route sends no content or its handler checks the `Accept`
    /// field.
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

    /// Creates a route whose handler returns the response without waiting.
    public convenience init(
        _ method: Method, _ path: String, produces: [String] = ["application/json"],
        immediate: @escaping @Sendable (Request, PathParameters) throws(Problem) -> Response
    ) {
        self.init(method, path, produces: produces) {
            (request, parameters, respond) throws(Problem) in
            let response = try immediate(request, parameters)
            respond { response }
        }
    }

    /// Creates a route whose handler is asynchronous. The task starts on the calling thread and
    /// continues on the threads of `RequestExecutor` after its first suspension.
    public convenience init(
        _ method: Method, _ path: String, produces: [String] = ["application/json"],
        task: @escaping @Sendable (Request, PathParameters) async throws(Problem) -> ResponseMaker
    ) {
        self.init(method, path, produces: produces) { request, parameters, respond in
            Task.request {
                do throws(Problem) {
                    respond(try await task(request, parameters))
                } catch {
                    respond { () throws(Problem) in throw error }
                }
            }
        }
    }
}

/// The decoded path segments in the places of a route's parameters (`{…}`), in order.
public struct PathParameters: Sendable {
    /// The maximum number of parameters in a path, which the router enforces. Two stored
    /// properties, unlike an array, need no allocation.
    static let limit = 2

    private var first: Substring = ""
    private var second: Substring = ""
    private var count = 0

    public init() {}

    mutating func append(_ value: Substring) {
        if count == 0 { first = value } else { second = value }
        count += 1
    }

    /// The value of a parameter.
    /// - Precondition: `index` is less than the number of parameters in the route's path.
    public subscript(index: Int) -> Substring {
        precondition(index < count)
        return index == 0 ? first : second
    }
}

/// The interface through which a server passes its requests to the service.
public protocol RequestHandler: Sendable {
    /// Sends the response of a request. `makeResponse` is called once, on the thread that sends the
    /// response, so that other threads, such as those of a store, do no encoding.
    typealias Respond = @Sendable (_ makeResponse: @escaping @Sendable () -> Response) -> Void

    /// Carries out a request.
    /// - Parameter respond: called exactly once, on any thread, possibly before this method
    ///   returns.
    func handle(_ request: Request, respond: @escaping Respond)

    /// Returns the response to a message that the server rejects before it is a complete request.
    func rejectionResponse(for problem: Problem) -> Response

    /// Returns the response to a message that the server rejects after it has read the header
    /// fields.
    func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response

    /// Decides whether a request may send its body (`Expect: 100-continue`).
    /// - Parameter request: the request without its body.
    /// - Returns: the response if the request is refused regardless of its body; nil to accept the
    ///   body.
    func rejectionResponse(beforeBodyOf request: Request) -> Response?
}

extension RequestHandler {
    /// Carries out a request and returns its response; for callers in a task.
    public func respond(to request: Request) async -> Response {
        await withCheckedContinuation { continuation in
            handle(request) { continuation.resume(returning: $0()) }
        }
    }

    public func rejectionResponse(beforeBodyOf request: Request) -> Response? { nil }

    public func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response {
        rejectionResponse(for: problem)
    }
}
