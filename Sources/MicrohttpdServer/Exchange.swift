import CMicrohttpd
import HTTPCore
import Synchronization

/// One request and its answer, from the first byte of the target to the last of the answer.
///
/// Sendable without a check: all but `answer` is touched only by the worker thread that owns the
/// connection; `answer` is behind its lock.
final class Exchange: @unchecked Sendable {
    private enum Phase {
        case head, body, answer
    }

    private enum Answer {
        case pending
        /// The connection sleeps until `finish`.
        case suspended
        case ready(Response)
        case sent
    }

    /// In bytes: up to here a body that is too large is read to its end.
    private static let droppedBodySize = 4 << 20

    private let core: ServerCore
    private let connection: OpaquePointer
    private let target: String
    private var phase = Phase.head
    private var headers = HeaderFields()
    private var body: [UInt8] = []
    private var isBodyTooLarge = false
    private let answer = Mutex(Answer.pending)

    init(core: ServerCore, connection: OpaquePointer, target: String) {
        self.core = core
        self.connection = connection
        self.target = target
    }

    // MARK: On the worker thread

    func receive(_ piece: UnsafeRawBufferPointer) {
        // The rest of a body that is too large is read and dropped: an answer cannot be queued
        // before the request has ended.
        isBodyTooLarge = isBodyTooLarge || body.count + piece.count > core.handler.maximumBodySize
        if !isBodyTooLarge { body.append(contentsOf: piece) }
    }

    func proceed(method: String, version: String) -> MHD_Result {
        switch phase {
        case .head:
            phase = .body
            headers = connection.requestHeaders
            if let problem = Framing.problem(target: target, version: version, headers: headers) {
                return send(core.handler.refuse(problem))
            }
            return mustRefuseBody ? send(core.handler.refuse(contentTooLarge)) : .YES
        case .body:
            phase = .answer
            return respond(method: Method(method))
        case .answer:
            return sendWhenReady()
        }
    }

    /// An answer to the head alone closes the connection, and a client that is sending its body then
    /// often sees no more than a broken pipe. So only a client that asks first is refused at once, and
    /// one whose body is too large even to be read and dropped.
    private var mustRefuseBody: Bool {
        guard let field = headers["Content-Length"] else { return false }
        // It is a number: one that no Int can hold is too large.
        let length = Int(field) ?? .max
        let limit = headers["Expect"] == nil ? Self.droppedBodySize : core.handler.maximumBodySize
        return length > limit
    }

    private var contentTooLarge: Problem {
        Problem(
            .contentTooLarge, "the body may have \(core.handler.maximumBodySize) bytes at most")
    }

    private func respond(method: Method) -> MHD_Result {
        guard !isBodyTooLarge else { return send(core.handler.refuse(contentTooLarge)) }
        let request: Request
        do throws(RequestTargetError) {
            request = Request(
                method: method, target: try RequestTarget(target), headers: headers, body: body,
                peer: connection.peer)
        } catch {
            return send(
                core.handler.refuse(Problem(.malformedRequest, "the request target: \(error)")))
        }
        body = []
        guard core.exchanges.add(self) else {
            return send(
                core.handler.refuse(
                    Problem(.shuttingDown, "the service is shutting down: nothing was done")))
        }
        // Most answers have nothing to wait for, and are ready when this returns.
        Task(executorPreference: InlineExecutor.shared) {
            self.finish(await self.core.handler.respond(to: request))
        }
        return sendWhenReady()
    }

    /// Sends the answer; suspends the connection until there is one.
    private func sendWhenReady() -> MHD_Result {
        let response: Response? = answer.withLock { answer in
            if case .ready(let response) = answer {
                answer = .sent
                return response
            }
            // Under the lock, so that `finish` cannot resume what is not yet suspended.
            MHD_suspend_connection(connection)
            answer = .suspended
            return nil
        }
        return response.map(send) ?? .YES
    }

    private func send(_ response: Response) -> MHD_Result {
        answer.withLock { $0 = .sent }
        if core.isAccepting.load(ordering: .relaxed) { return connection.queue(response) }
        var response = response
        response.headers.append("Connection", "close")
        return connection.queue(response)
    }

    // MARK: On any thread

    /// Hands in the answer. Only the first one counts.
    func finish(_ response: Response) {
        answer.withLock { answer in
            switch answer {
            case .pending: answer = .ready(response)
            case .suspended:
                answer = .ready(response)
                MHD_resume_connection(connection)
            case .ready, .sent: break
            }
        }
    }

    /// Gives up on the answer: the service is going down.
    func abandon() {
        finish(
            core.handler.refuse(
                Problem(
                    .shuttingDown,
                    "the service is shutting down; whether this was done is not known: send it "
                        + "again with the same Idempotency-Key")))
    }
}
