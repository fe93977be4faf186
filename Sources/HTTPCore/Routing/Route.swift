import WaypostCore

/// One method of one path. A class, as a match refers to one of them for each request.
public final class Route: Sendable {
    /// Makes a response on the thread that sends it.
    public typealias ResponseMaker = @Sendable () throws(Problem) -> Response

    /// Carries out a request.
    ///
    /// It calls `respond` exactly once, on any thread, possibly before it returns; or it throws, and does
    /// not call it.
    public typealias Handler =
        @Sendable (
            Request, PathParameters,
            _ respond: @escaping @Sendable (@escaping ResponseMaker) -> Void
        ) throws(Problem) -> Void

    public let method: Method
    /// Such as `/v1/sessions/{session}/push`.
    public let path: String
    /// The media types of its responses, in lower case: a client that takes none of them is refused.
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

    /// A route whose response never has to be waited for.
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

    /// A route whose work is done in a task: on the calling thread as far as it has to wait for nothing,
    /// then on the threads of `RequestExecutor`.
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

/// The segments of a request's path where the route has `{…}`, decoded, in order.
public struct PathParameters: Sendable {
    /// No route has more: the router sees to it. Two fields, and not an array, need no memory.
    static let limit = 2

    private var first: Substring = ""
    private var second: Substring = ""
    private var count = 0

    public init() {}

    mutating func append(_ value: Substring) {
        if count == 0 { first = value } else { second = value }
        count += 1
    }

    /// - Precondition: the route's path has that many parameters.
    public subscript(index: Int) -> Substring {
        precondition(index < count)
        return index == 0 ? first : second
    }
}

/// A server hands its requests to it.
public protocol RequestHandler: Sendable {
    /// Hands over the response of a request. `makeResponse` is called once, on the thread that sends the
    /// response: whoever carries out a request, such as the thread of a store, does not encode it.
    typealias Respond = @Sendable (_ makeResponse: @escaping @Sendable () -> Response) -> Void

    /// Carries out a request.
    /// - Parameter respond: to be called exactly once, on any thread, possibly before this returns.
    func handle(_ request: Request, respond: @escaping Respond)

    /// Returns the response to a message that is no request: the server found the problem before the
    /// routes.
    func rejectionResponse(for problem: Problem) -> Response

    /// Returns the response to a message that is no request, where its head is known.
    func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response

    /// Called for a client that waits for leave to send its body (`Expect: 100-continue`).
    /// - Parameter request: without the body.
    /// - Returns: the response to a request that is refused whatever its body is.
    func rejectionResponse(beforeBodyOf request: Request) -> Response?
}

extension RequestHandler {
    /// Carries out a request, for callers in a task.
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
