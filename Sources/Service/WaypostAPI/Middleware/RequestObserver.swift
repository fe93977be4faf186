import Dispatch
import HTTPCore
import Logging
import Sessions
import WaypostCore

/// Gives each request an id, and records the request in the metrics and the log.
final class RequestObserver: ResponseMiddleware {
    let paths: [String]
    let metrics: RequestMetrics
    private let ids: RequestIDs
    private let accessLog: Log?
    private let logger: Logger?
    /// For each path pattern in `paths`, whether its first parameter is `{session}`, so that the
    /// log shows the beginning of this session id.
    private let namesSession: [Bool]

    init(paths: [String], _ configuration: API.Configuration) {
        self.paths = paths
        metrics = RequestMetrics(paths: paths, unknownOutcomes: configuration.unknownOutcomes)
        ids = RequestIDs(seed: configuration.seed)
        accessLog = configuration.isAccessLogged ? configuration.log : nil
        logger = configuration.log?.logger("waypost.api")
        namesSession = paths.map { $0.contains("/sessions/{session}") }
    }

    func before(_ context: Context) {
        metrics.begin()
        context.requestID = ids.id(of: context.request.headers)
    }

    /// Records a completed request in the metrics and the log, and adds the request's id to the
    /// response. A response that shared caches may store gets no id, because a cache would repeat
    /// it to other clients.
    func after(_ context: Context, _ response: inout Response) {
        let request = context.request
        let end = DispatchTime.now().uptimeNanoseconds
        let duration = Duration.nanoseconds(end - context.start.uptimeNanoseconds)
        let id = context.requestID ?? ""
        if !response.isPublic { response.headers.append(RequestIDs.field, id) }
        metrics.end(path: context.path, request.method, response.status, duration)
        if let problem = response.problem { note(problem, id) }
        guard let accessLog, accessLog.hasAccess else { return }
        var entry = AccessEntry(
            route: metrics.route(path: context.path),
            method: RequestMetrics.label(of: request.method),
            status: response.status.code, duration: duration,
            bytes: request.method == .head ? 0 : response.body.count, requestID: id)
        entry.session = session(context, response)
        entry.problem = response.problem?.code
        entry.trace = TraceParent(of: request.headers).map { ($0.traceID, $0.parentID) }
        accessLog.append(entry)
        guard case .stream(let stream, _) = response.body, request.method != .head else { return }
        // The end of the stream gets an entry of its own.
        response.body = .stream(stream) { [entry, start = context.start] end in
            var last = entry
            last.duration = .nanoseconds(
                DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds)
            last.bytes = end.size
            last.streamEnd = end.reason.rawValue
            accessLog.append(last)
        }
    }

    /// Returns a request id for a message that the server rejects before it has read a complete
    /// request.
    /// - Parameter headers: the header fields read so far, which may include an id from the client.
    func id(of headers: HeaderFields) -> String { ids.id(of: headers) }

    /// Records the rejection of a message that is not a complete request, and adds the request id
    /// `id` to the response.
    func reject(_ problem: Problem, _ response: inout Response, _ id: String) {
        response.headers.append(RequestIDs.field, id)
        metrics.countResponse(path: nil, RequestMetrics.unknownMethod, response.status)
        note(problem, id)
        var entry = AccessEntry(
            route: metrics.route(path: nil), method: "-", status: response.status.code,
            duration: .zero, bytes: response.body.count, requestID: id)
        entry.problem = problem.code
        accessLog?.append(entry)
    }

    private func note(_ problem: Problem, _ id: String) {
        metrics.countRejection(for: problem)
        guard let cause = problem.cause else { return }
        logger?.error(
            "a request failed",
            metadata: [
                "request_id": "\(id)", "problem": "\(problem.code)", "cause": "\(cause)",
            ])
    }

    /// Returns the first 8 digits of the id of the session that a request uses or opens, which are
    /// enough to find other log entries about the session.
    /// - Returns: nil for all other requests.
    private func session(_ context: Context, _ response: Response) -> String? {
        if let path = context.path, namesSession[path] {
            return Self.beginning(context.parameters[0])
        }
        guard response.status == .created else { return nil }
        let components = response.headers["Location"]?.split(separator: "/")
        return components?.last.flatMap { Self.beginning($0) }
    }

    /// Returns the first 8 digits of a session id.
    /// - Returns: nil if the text is not a session id. Clients therefore cannot put arbitrary text
    ///   into the log.
    private static func beginning(_ id: Substring) -> String? {
        SessionID(id).map { _ in String(id.prefix(8)) }
    }
}
