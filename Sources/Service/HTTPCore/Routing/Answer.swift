import WaypostCore

/// The answer of a handler to a request: a response, or work that ends with one.
public enum Answer: Sendable {
    /// A closure that makes a response, or throws the problem to respond with. It runs on the thread
    /// that sends the response. Other threads, such as those of a store, therefore spend no time on
    /// the encoding of responses.
    public typealias DeferredResponse = @Sendable () throws(Problem) -> Response
    /// A closure that takes the response. It is called once, on any thread.
    public typealias Reply = @Sendable (@escaping DeferredResponse) -> Void

    case ready(Response)
    /// The work is called once. It must not block the calling thread.
    case later(_ work: @Sendable (@escaping Reply) -> Void)

    /// Returns an answer that an asynchronous closure makes. The closure starts on the calling
    /// thread. After its first suspension it continues on the threads of `RequestExecutor`, the task
    /// executor for requests.
    /// - Parameter work: makes the response. It may throw any error, see `Problem.reporting`.
    public static func task(
        _ work: @escaping @Sendable () async throws -> DeferredResponse
    ) -> Answer {
        .later { reply in
            Task.request {
                do { reply(try await work()) } catch { reply(refusal(.reporting(error))) }
            }
        }
    }

    /// Returns a closure that throws `problem` in place of making a response.
    public static func refusal(_ problem: Problem) -> DeferredResponse {
        { () throws(Problem) in throw problem }
    }

    /// Passes the response to `reply`, now or when it is there.
    public func send(to reply: @escaping Reply) {
        switch self {
        case .ready(let response): reply { response }
        case .later(let work): work(reply)
        }
    }
}
