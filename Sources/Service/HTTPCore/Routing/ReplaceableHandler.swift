import Dispatch
import Synchronization

/// Passes requests on to another handler, which can be replaced while the server runs. The handler
/// that begins a request also completes it.
public final class ReplaceableHandler: RequestHandler {
    /// A handler, and its requests in progress.
    private final class Current: Sendable {
        let handler: any RequestHandler
        let requests = DispatchGroup()

        init(_ handler: any RequestHandler) { self.handler = handler }
    }

    private let current: Mutex<Current>

    public init(_ handler: any RequestHandler) { current = Mutex(Current(handler)) }

    private var handler: any RequestHandler { current.withLock(\.handler) }

    public func answer(_ request: Request) -> Answer {
        let current = current.withLock { current in
            // Under the lock, so that the group of a replaced handler only becomes smaller.
            current.requests.enter()
            return current
        }
        switch current.handler.answer(request) {
        case .ready(let response):
            current.requests.leave()
            return .ready(response)
        case .later(let work):
            return .later { reply in
                work { makeResponse in
                    current.requests.leave()
                    reply(makeResponse)
                }
            }
        }
    }

    public func isUrgent(_ request: Request) -> Bool { handler.isUrgent(request) }

    public func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response {
        handler.rejectionResponse(for: problem, headers: headers)
    }

    public func rejectionResponse(beforeBodyOf request: Request) -> Response? {
        handler.rejectionResponse(beforeBodyOf: request)
    }

    /// Passes all later requests to a new handler.
    /// - Returns: the requests that the replaced handler still carries out.
    public func replace(by handler: any RequestHandler) -> DispatchGroup {
        current.withLock { current in
            defer { current = Current(handler) }
            return current.requests
        }
    }
}
