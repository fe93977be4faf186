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
