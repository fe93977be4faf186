import CMicrohttpd
import Glibc
import HTTPCore
import Synchronization

/// One request and its response, from the request line to the last byte of the response.
///
/// The class is `@unchecked Sendable`: only the worker thread of the connection uses the variables,
/// except `pendingResponse`, which has a lock.
final class Exchange: RequestExchange, @unchecked Sendable {
    private enum Phase {
        case head, body, answer
    }

    /// The parts of a request's first line.
    private typealias Start = (method: Method, target: RequestTarget)

    /// The response, which the thread that carries out the request passes to the worker thread.
    private enum PendingResponse {
        case pending
        /// The response is not ready, and the connection is suspended until `finish` resumes it.
        case suspended
        case ready(Answer.DeferredResponse)
        case sent
    }

    /// The size in bytes up to which the server reads and discards a body that is too large. A
    /// larger `Content-Length` is refused early, and a larger chunked body ends the connection.
    private static let droppedBodySize = 4 << 20

    private let core: ServerCore
    let worker: Worker
    private let connection: Connection
    /// libmicrohttpd's handle of the connection.
    private let handle: OpaquePointer
    /// The request target as the client sent it. Nil if the target has no query; the target is then
    /// the path that libmicrohttpd reports.
    private let target: String?
    private var phase = Phase.head
    /// The first line, or the problem to respond with after the body; nil until the head has arrived.
    private var start: Result<Start, Problem>?
    private var headers = HeaderFields()
    /// Whether the client understands the chunked transfer coding (HTTP/1.1).
    private var isChunked = true
    private var announcesBody = false
    private var body: [UInt8] = []
    private var bodySize = 0
    /// Whether the request is counted in `core.unanswered`, for which a stop of the server waits.
    private var isCounted = false
    /// Whether the handler makes the response later, so that `pendingResponse` is used.
    private var isDeferred = false
    /// The response that is being sent; nil before.
    private var unsentResponse: UnsentResponse?
    private let pendingResponse = Mutex(PendingResponse.pending)

    init(core: ServerCore, connection: Connection, handle: OpaquePointer, target: String?) {
        self.core = core
        worker = core.workers[connection.worker]
        self.connection = connection
        self.handle = handle
        self.target = target
    }

    // MARK: On the worker thread

    func receive(_ piece: UnsafeRawBufferPointer) -> MHD_Result {
        bodySize += piece.count
        if bodySize <= core.configuration.maximumBodySize {
            body.append(contentsOf: piece)
        } else {
            body = []
        }
        // libmicrohttpd takes no response while a body arrives, so the rest is read and discarded.
        return bodySize <= Self.droppedBodySize ? .YES : .NO
    }

    func proceed(
        path: UnsafePointer<CChar>, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>
    ) -> MHD_Result {
        switch phase {
        case .head:
            phase = .body
            if let refusal = readHead(path, method, version) { return send(refusal) }
            return !announcesBody || connection.enter(.body, for: core.configuration.bodyTimeout)
                ? .YES : .NO
        case .body:
            phase = .answer
            count()
            let mayRespond = connection.enter(
                .responding, for: core.configuration.responseTimeout, self)
            return mayRespond ? respond() : .NO
        case .answer:
            return sendWhenReady()
        }
    }

    /// Counts the request, so that a stop of the server waits for its response.
    private func count() {
        if !isCounted { core.unanswered.enter() }
        isCounted = true
    }

    /// Reads and checks the head. Returns a response if the request is refused before its body.
    private func readHead(
        _ path: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ version: UnsafePointer<CChar>
    ) -> Response? {
        let targetSize = target?.utf8.count ?? strlen(path)
        let target = target ?? String(cString: path)
        // Most requests have this version. The comparison of C strings saves making a string.
        isChunked = strcmp(version, "HTTP/1.1") == 0
        let versionName = isChunked ? "HTTP/1.1" : String(cString: version)
        let reported = ReportedHead(method: method, targetSize: targetSize, of: handle)
        headers = reported.headers
        let problem =
            Framing.problem(
                target: target, version: versionName, headers: headers, size: reported.size,
                maximumSize: core.configuration.maximumHeaderSize)
            ?? (reported.isWhole || waypost_checks_heads() ? nil : Framing.strayBytes)
            ?? core.configuration.allowedHosts?.problem(target: target, headers)
        if let problem { return refusal(problem) }
        let length = headers["Content-Length"]
        if let length, isTooLong(length) { return refusal(contentTooLarge) }
        // `Framing` has refused a request with both fields.
        announcesBody = length.map { $0 != "0" } ?? (headers["Transfer-Encoding"] != nil)
        let start: Start
        do throws(Problem) {
            start = (Method(String(cString: method)), try RequestTarget(target))
        } catch {
            self.start = .failure(error)
            return connection.refusal.map { refusal($0) }
        }
        self.start = .success(start)
        if let problem = connection.refusal, !core.handler.isUrgent(request(start)) {
            return refusal(problem)
        }
        guard headers["Expect"] != nil else { return nil }
        return core.handler.rejectionResponse(beforeBodyOf: request(start))
    }

    /// Returns the request with the part of its body that has arrived.
    private func request(_ start: Start) -> Request {
        Request(
            method: start.method, target: start.target, headers: headers, body: body,
            peer: connection.peer, exchange: self)
    }

    /// Returns whether the server refuses a request before its body arrives, because `length`, the
    /// value of `Content-Length`, is too large. Such a refusal closes the connection, and a client
    /// that is sending its body often sees a broken pipe instead of the response. The server
    /// therefore does so only if the client asks first (`Expect`), or beyond `droppedBodySize`.
    private func isTooLong(_ length: String) -> Bool {
        let limit =
            headers["Expect"] == nil ? Self.droppedBodySize : core.configuration.maximumBodySize
        // `Framing` accepts only digits, so a length that does not convert is too large.
        return Int(length) ?? .max > limit
    }

    private var contentTooLarge: Problem {
        .contentTooLarge(maximum: core.configuration.maximumBodySize)
    }

    private func respond() -> MHD_Result {
        guard bodySize <= core.configuration.maximumBodySize else { return reject(contentTooLarge) }
        let request: Request
        switch start {
        case .success(let start): request = self.request(start)
        case .failure(let problem): return reject(problem)
        case nil: return .NO
        }
        body = []
        guard !core.isClosed.load(ordering: .acquiring) else { return reject(.shuttingDown) }
        guard core.begin(request) else { return reject(.tooManyRequestsInProgress) }
        switch core.handler.answer(request) {
        case .ready(let response):
            core.endRequest()
            return send(response)
        case .later(let work):
            isDeferred = true
            work { makeResponse in
                self.core.endRequest()
                self.finish(makeResponse)
            }
            return sendWhenReady()
        }
    }

    /// Sends the response, or suspends the connection until the response is ready.
    private func sendWhenReady() -> MHD_Result {
        var ready: Answer.DeferredResponse?
        pendingResponse.withLock { response in
            if case .ready(let makeResponse) = response {
                response = .sent
                ready = makeResponse
                return
            }
            // Under the lock, so that `finish` cannot resume the connection before this.
            MHD_suspend_connection(handle)
            response = .suspended
        }
        guard let ready else { return .YES }
        do throws(Problem) {
            return send(try ready())
        } catch {
            return reject(error)
        }
    }

    private func reject(_ problem: Problem) -> MHD_Result { send(refusal(problem)) }

    private func refusal(_ problem: Problem) -> Response {
        core.handler.rejectionResponse(for: problem, headers: headers)
    }

    private func send(_ response: Response) -> MHD_Result {
        if case .stream(let stream, let onEnd) = response.body {
            if case .success(let start) = start, start.method == .head {
                return sendHead(of: response)
            }
            guard core.isAccepting.load(ordering: .relaxed) else { return reject(.shuttingDown) }
            return detach(response, stream, onEnd) ?? reject(.noDescriptor)
        }
        let extra = response.body.count * 1000 / core.configuration.minimumSendRate
        let time = core.configuration.sendTimeout + .milliseconds(extra)
        count()
        let unsent = core.connections.beginSending(response.body.sizeInMemory)
        unsentResponse = unsent
        guard connection.enter(.sending, for: time, sending: unsent) else { return .NO }
        core.connections.limitUnsentSize()
        var response = response
        let isLast = !core.isAccepting.load(ordering: .relaxed) || connection.refusal != nil
        if isLast, response.headers["Connection"] == nil {
            response.headers.append("Connection", "close")
        }
        return handle.queue(response)
    }

    /// Notes that the response has been sent, or that the connection has ended before.
    func end() {
        if isDeferred { dropResponse() }
        if let unsentResponse { core.connections.endSending(unsentResponse) }
        _ = connection.enter(.idle, for: core.configuration.keepAliveTimeout)
        if isCounted { core.unanswered.leave() }
    }

    /// Drops the response if it was not sent: if the client closes the connection directly behind its
    /// request, libmicrohttpd ends the request without asking for the response.
    private func dropResponse() {
        var unsent: Answer.DeferredResponse?
        pendingResponse.withLock { response in
            if case .ready(let makeResponse) = response { unsent = makeResponse }
            response = .sent
        }
        discard(unsent)
    }

    // MARK: Streams, on the worker thread

    /// Takes the connection away from libmicrohttpd and gives it to the `StreamLoop`.
    ///
    /// libmicrohttpd keeps a connection without traffic only if the connection is suspended, which
    /// takes up to 36 KiB, and each resume visits all suspended connections. Therefore the
    /// `StreamLoop` gets a duplicate of the descriptor, and libmicrohttpd closes the original.
    /// Without `MHD_USE_TURBO`, it would first shut down the socket, which both share.
    /// - Returns: `.NO`, which ends libmicrohttpd's connection; nil, without a change, if the system
    ///   has no descriptor left.
    private func detach(
        _ response: Response, _ stream: any ResponseStream,
        _ onEnd: @escaping @Sendable (StreamEnd) -> Void
    ) -> MHD_Result? {
        let descriptor = fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        guard connection.detach() else {
            close(descriptor)
            return .NO
        }
        core.streams.open(descriptor, response, stream, isChunked: isChunked) {
            [connections = core.connections, peer = connection.peer] end in
            if let end { onEnd(end) }
            connections.releaseAddress(peer)
        }
        // libmicrohttpd ends its side of the connection without a byte to the client.
        return .NO
    }

    /// Responds to a HEAD request for a stream with the head alone, and ends the connection. Behind
    /// a head of its own without a `Content-Length`, libmicrohttpd 0.9.75 would send a chunk.
    private func sendHead(of response: Response) -> MHD_Result {
        let head = response.streamHead(isChunked: isChunked)
        // The previous response, if any, has been sent: the socket has room for this head.
        _ = head.withUnsafeBytes {
            Glibc.send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        return .NO
    }

    // MARK: On any thread

    /// Passes the response to the worker thread. Only the response of the first call is sent.
    private func finish(_ makeResponse: @escaping Answer.DeferredResponse) {
        let isFirst = pendingResponse.withLock { response in
            switch response {
            case .pending: break
            case .suspended: worker.resume(handle)
            case .ready, .sent: return false
            }
            response = .ready(makeResponse)
            return true
        }
        if !isFirst { discard(makeResponse) }
    }

    /// Makes a response that is not sent. The handler counts a request as answered when it makes
    /// the response, and only then releases what the response needs.
    private func discard(_ makeResponse: Answer.DeferredResponse?) { _ = try? makeResponse?() }

    var isAbandoned: Bool {
        let hasResponse = pendingResponse.withLock { response in
            switch response {
            case .pending, .suspended: false
            case .ready, .sent: true
            }
        }
        return hasResponse || connection.clientHasLeft
    }

    /// Responds with a problem at once, unless the handler has already responded.
    func abandon(_ problem: Problem) {
        finish { [core, headers] in core.handler.rejectionResponse(for: problem, headers: headers) }
    }
}
