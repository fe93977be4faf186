import CMicrohttpd
import Glibc
import HTTPCore
import Synchronization

/// One request and its response, from the first byte of the target to the last of the response.
///
/// Sendable without a check: only the worker thread that owns the connection uses the variables.
/// `pendingResponse`, which any thread may use, has a lock.
final class Exchange: @unchecked Sendable {
    private enum Phase {
        case head, body, answer
    }

    /// The response, handed over by the thread that carried out the request.
    private enum PendingResponse {
        case pending
        /// The connection sleeps until `finish`.
        case suspended
        case ready(@Sendable () -> Response)
        case sent
    }

    /// The size in bytes up to which the server reads and drops a body that is too large.
    private static let droppedBodySize = 4 << 20

    private let core: ServerCore
    private let connection: Connection
    /// The connection as libmicrohttpd knows it.
    private let handle: OpaquePointer
    /// The request target as the client sent it; nil if it has no query.
    private let target: String?
    private var phase = Phase.head
    /// The head, or why it is refused. The refusal is sent after the body has arrived.
    private var head: Result<RequestHead, Problem>?
    private var headers = HeaderFields()
    /// Whether the client understands the chunked transfer coding (HTTP/1.1).
    private var isChunked = true
    private var announcesBody = false
    private var body: [UInt8] = []
    private var bodySize = 0
    /// Whether the request is counted in `core.unanswered`, for which a stop of the server waits.
    private var isCounted = false
    private let pendingResponse = Mutex(PendingResponse.pending)

    init(core: ServerCore, connection: Connection, handle: OpaquePointer, target: String?) {
        self.core = core
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
        // libmicrohttpd takes no response while a body arrives, so the rest of a too large body is
        // read and dropped. Beyond `droppedBodySize` the connection ends without a response.
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

    /// Notes that a stop of the server must wait until the response has been sent.
    private func count() {
        if !isCounted { core.unanswered.enter() }
        isCounted = true
    }

    /// Reads and checks the head. Returns a response if it refuses the request before the body.
    private func readHead(
        _ path: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ version: UnsafePointer<CChar>
    ) -> Response? {
        let targetSize = target?.utf8.count ?? strlen(path)
        let target = target ?? String(cString: path)
        // Most requests have this version, for which no string is made.
        isChunked = strcmp(version, "HTTP/1.1") == 0
        let versionName = isChunked ? "HTTP/1.1" : String(cString: version)
        let size = waypost_header_size(handle)
        let scan = HeadScan(
            path: path, targetSize: targetSize, method: method, version: version,
            size: size, of: handle)
        headers = scan.headers
        let problem =
            connection.refusal
            ?? HeadLimits(maximumSize: core.configuration.maximumHeaderSize).problem(
                target: target, version: versionName, fieldCount: headers.count, size: size)
            ?? Framing.problem(target: target, version: versionName, headers: headers)
            ?? (scan.isWhole ? nil : Framing.strayBytes)
            ?? core.configuration.allowedHosts?.problem(headers)
        if let problem { return refusal(problem) }
        let length = headers["Content-Length"]
        if let length, isTooLong(length) { return refusal(contentTooLarge) }
        // `Framing` has refused a request with both fields.
        announcesBody = length.map { $0 != "0" } ?? (headers["Transfer-Encoding"] != nil)
        let head: RequestHead
        do throws(RequestTargetError) {
            head = RequestHead(
                method: Method(String(cString: method)), target: try RequestTarget(target),
                headers: headers)
        } catch {
            self.head = .failure(Problem(.malformedRequest, "the request target: \(error)"))
            return nil
        }
        self.head = .success(head)
        guard headers["Expect"] != nil else { return nil }
        return core.handler.rejectionResponse(beforeBodyOf: Request(head, peer: connection.peer))
    }

    /// Returns whether the length of a body is a reason to refuse the request before the body
    /// arrives.
    ///
    /// A refusal closes the connection, and a client that is sending its body often sees no more
    /// than a broken pipe. So the server refuses only a client that asks first (`Expect`), and one
    /// whose body is too large even to be read and dropped.
    /// - Parameter length: the value of `Content-Length`.
    private func isTooLong(_ length: String) -> Bool {
        let limit =
            headers["Expect"] == nil ? Self.droppedBodySize : core.configuration.maximumBodySize
        // `Framing` lets only digits through, so a length that is no `Int` is too large for one.
        return Int(length) ?? .max > limit
    }

    private var contentTooLarge: Problem {
        .contentTooLarge(maximum: core.configuration.maximumBodySize)
    }

    private func respond() -> MHD_Result {
        guard bodySize <= core.configuration.maximumBodySize else { return reject(contentTooLarge) }
        let request: Request
        switch head {
        case .success(let head): request = Request(head, body: body, peer: connection.peer)
        case .failure(let problem): return reject(problem)
        case nil: return .NO
        }
        body = []
        guard !core.isClosed.load(ordering: .acquiring) else { return reject(.shuttingDown) }
        guard core.beginRequest() else { return reject(.tooManyRequestsInProgress) }
        core.handler.handle(request, respond: complete)
        return sendWhenReady()
    }

    @Sendable private func complete(_ makeResponse: @escaping @Sendable () -> Response) {
        core.endRequest()
        finish(makeResponse)
    }

    /// Sends the response; suspends the connection until there is one.
    private func sendWhenReady() -> MHD_Result {
        var ready: (@Sendable () -> Response)?
        pendingResponse.withLock { response in
            if case .ready(let makeResponse) = response {
                response = .sent
                ready = makeResponse
                return
            }
            // Under the lock, so that `finish` cannot resume what is not yet suspended.
            MHD_suspend_connection(handle)
            response = .suspended
        }
        return ready.map { send($0()) } ?? .YES
    }

    private func reject(_ problem: Problem) -> MHD_Result { send(refusal(problem)) }

    private func refusal(_ problem: Problem) -> Response {
        core.handler.rejectionResponse(for: problem, headers: headers)
    }

    private func send(_ response: Response) -> MHD_Result {
        if case .stream(let source) = response.body {
            if case .success(let head) = head, head.method == .head {
                return sendHead(of: response)
            }
            guard core.isAccepting.load(ordering: .relaxed) else { return reject(.shuttingDown) }
            return detach(response, source) ?? reject(.noDescriptor)
        }
        let extra = response.body.count * 1000 / core.configuration.minimumSendRate
        let time = core.configuration.sendTimeout + .milliseconds(extra)
        count()
        guard connection.enter(.sending, for: time) else { return .NO }
        if core.isAccepting.load(ordering: .relaxed) { return handle.queue(response) }
        var response = response
        response.headers.append("Connection", "close")
        return handle.queue(response)
    }

    /// Notes that the response has been sent, or cannot be sent any more.
    func end() {
        _ = connection.enter(.idle, for: core.configuration.keepAliveTimeout)
        if isCounted { core.unanswered.leave() }
    }

    // MARK: Streams, on the worker thread

    /// Detaches the connection from libmicrohttpd and hands it to the stream loop.
    ///
    /// libmicrohttpd can keep a connection without traffic only suspended. That costs up to 36 KiB,
    /// and each resume of a connection visits all suspended ones. Therefore the loop gets a
    /// duplicate of the descriptor, and libmicrohttpd is told to end the connection. It closes only
    /// its own descriptor, because the daemons run with `MHD_USE_TURBO`: without the flag it would
    /// first shut the socket down, which all duplicates share.
    /// - Returns: nil if the system has no descriptor left; the connection is unchanged in that case.
    private func detach(_ response: Response, _ source: any StreamSource) -> MHD_Result? {
        let descriptor = fcntl(connection.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        guard connection.detach() else {
            close(descriptor)
            return .NO
        }
        let peer = connection.peer
        core.streams.open(
            descriptor, isChunked: isChunked, head: response.streamHead(isChunked: isChunked),
            source
        ) { [connections = core.connections] in connections.releaseAddress(peer) }
        // libmicrohttpd ends its side of the connection without a byte to the client.
        return .NO
    }

    /// Sends the head of a stream that a HEAD request asks about, and ends the connection.
    private func sendHead(of response: Response) -> MHD_Result {
        let head = response.streamHead(isChunked: isChunked)
        // The previous response, if any, has been sent: the socket has room for this head.
        _ = head.withUnsafeBytes {
            Glibc.send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        return .NO
    }

    // MARK: On any thread

    /// Hands over a response. Only the first that is handed over is sent.
    private func finish(_ makeResponse: @escaping @Sendable () -> Response) {
        let isFirst = pendingResponse.withLock { response in
            switch response {
            case .pending:
                response = .ready(makeResponse)
            case .suspended:
                response = .ready(makeResponse)
                MHD_resume_connection(handle)
            case .ready, .sent: return false
            }
            return true
        }
        // Made but not sent: the handler counts a request as answered when it makes the response.
        if !isFirst { _ = makeResponse() }
    }

    /// Responds with a problem at once, as the server stops or the work has taken too long.
    func abandon(_ problem: Problem) {
        finish { [core] in core.handler.rejectionResponse(for: problem) }
    }
}
