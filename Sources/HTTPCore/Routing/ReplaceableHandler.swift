import Synchronization

/// Passes requests on to another handler, which can be replaced while the server runs. The handler
/// that begins a request also completes it. The old and the new handler never carry out requests at
/// the same time, unless a replacement is forced.
public final class ReplaceableHandler: RequestHandler {
    /// A handler, and the number of its requests in progress.
    private final class Current: Sendable {
        let handler: any RequestHandler
        let requestCount = Atomic(0)

        init(_ handler: any RequestHandler) { self.handler = handler }

        func handle(_ request: Request, _ respond: @escaping Respond) {
            handler.handle(request) { makeResponse in
                self.requestCount.subtract(1, ordering: .releasing)
                respond(makeResponse)
            }
        }
    }

    private struct State {
        var current: Current
        var isPaused = false
        /// The requests that have arrived since `replace` was called. They wait until the
        /// replacement ends.
        var waiting: [(request: Request, respond: Respond)] = []
    }

    private let state: Mutex<State>

    public init(_ handler: any RequestHandler) { state = Mutex(State(current: Current(handler))) }

    /// Whether a replacement is in progress, so that new requests wait.
    var isPaused: Bool { state.withLock(\.isPaused) }

    private var handler: any RequestHandler { state.withLock { $0.current.handler } }

    public func handle(_ request: Request, respond: @escaping Respond) {
        let current = state.withLock { state -> Current? in
            guard !state.isPaused else {
                state.waiting.append((request, respond))
                return nil
            }
            // Counted under the lock, so that `replace` waits for every request.
            state.current.requestCount.add(1, ordering: .relaxed)
            return state.current
        }
        current?.handle(request, respond)
    }

    public func rejectionResponse(for problem: Problem) -> Response {
        handler.rejectionResponse(for: problem)
    }

    public func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response {
        handler.rejectionResponse(for: problem, headers: headers)
    }

    public func rejectionResponse(beforeBodyOf request: Request) -> Response? {
        handler.rejectionResponse(beforeBodyOf: request)
    }

    /// Waits until the handler has no request in progress, and replaces it. Requests that arrive in
    /// the meantime wait for the new handler, or for the old one if it is not replaced.
    /// - Parameters:
    ///   - limit: the maximum time to wait.
    ///   - isForced: whether to replace the handler even if a request is still in progress after
    ///     that time. If false, the old handler stays in that case.
    ///   - makeHandler: makes the new handler. Called after the wait, and only if the handler is
    ///     replaced.
    /// - Returns: whether the handler was replaced.
    @discardableResult
    public func replace(
        within limit: Duration, isForced: Bool = false,
        _ makeHandler: @Sendable () async -> any RequestHandler
    ) async -> Bool {
        let old = state.withLock { state in
            state.isPaused = true
            return state.current
        }
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while old.requestCount.load(ordering: .acquiring) > 0, clock.now < deadline {
            try? await Task.sleep(for: .milliseconds(1))
        }
        let isReplaced = isForced || old.requestCount.load(ordering: .acquiring) == 0
        resume(isReplaced ? Current(await makeHandler()) : old)
        return isReplaced
    }

    private func resume(_ current: Current) {
        let waiting = state.withLock { state in
            state.current = current
            state.isPaused = false
            defer { state.waiting = [] }
            current.requestCount.add(state.waiting.count, ordering: .relaxed)
            return state.waiting
        }
        for (request, respond) in waiting { current.handle(request, respond) }
    }
}
