import Dispatch
import HTTPCore
import Logging
import Sessions
import WaypostCore

/// Gives each request an id, and records the request in the metrics and the log.
struct RequestObserver: Sendable {
    /// The id and the start time of a request in progress.
    struct Observation: Sendable {
        let id: String
        fileprivate let start: DispatchTime
    }

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

    func begin(_ request: Request) -> Observation {
        metrics.begin()
        return Observation(id: ids.id(of: request.headers), start: .now())
    }

    /// Records a completed request in the metrics and the log, and adds the request's id to the
    /// response. A response that shared caches may store gets no id, because a cache would repeat
    /// it to other clients.
    /// - Parameter problem: the problem that the response reports; nil if the request succeeded.
    func end(
        _ observation: Observation, _ request: Request, _ match: Router.Match,
        _ response: inout Response, _ problem: Problem?
    ) {
        let end = DispatchTime.now().uptimeNanoseconds
        let duration = Duration.nanoseconds(end - observation.start.uptimeNanoseconds)
        if !response.isPublic { response.headers.append(RequestIDs.field, observation.id) }
        metrics.end(path: match.path, request.method, response.status, duration)
        if let problem { note(problem, observation.id) }
        guard let accessLog, accessLog.hasAccess else { return }
        var entry = AccessEntry(
            route: metrics.route(path: match.path), method: request.method.label,
            status: response.status.code, duration: duration,
            bytes: request.method == .head ? 0 : response.body.count, requestID: observation.id)
        entry.session = session(match, response)
        entry.problem = problem?.kind.code
        entry.trace = TraceParent(of: request.headers).map { ($0.traceID, $0.parentID) }
        accessLog.append(entry)
        guard case .stream(let source) = response.body, request.method != .head else { return }
        response.body = .stream(LoggedStream(source, entry, observation.start, accessLog))
    }

    /// Returns a request id for a message that the server rejects before it has read a complete
    /// request.
    /// - Parameter headers: the header fields read so far, which may include an id from the client.
    func id(of headers: HeaderFields) -> String { ids.id(of: headers) }

    /// Records the rejection of a message that is not a complete request, and adds the request id
    /// `id` to the response.
    func reject(_ problem: Problem, _ response: inout Response, _ id: String) {
        response.headers.append(RequestIDs.field, id)
        note(problem, id)
        var entry = AccessEntry(
            route: metrics.route(path: nil), method: "-", status: response.status.code,
            duration: .zero, bytes: response.body.count, requestID: id)
        entry.problem = problem.kind.code
        accessLog?.append(entry)
    }

    private func note(_ problem: Problem, _ id: String) {
        metrics.countRejection(for: problem)
        guard let cause = problem.cause else { return }
        logger?.error(
            "a request failed",
            metadata: [
                "request_id": "\(id)", "problem": "\(problem.kind.code)", "cause": "\(cause)",
            ])
    }

    /// Returns the first 8 digits of the id of the session that a request uses or opens, which are
    /// enough to find other log entries about the session.
    /// - Returns: nil for all other requests.
    private func session(_ match: Router.Match, _ response: Response) -> String? {
        if let path = match.path, namesSession[path] { return Self.beginning(match.parameters[0]) }
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

extension Method {
    /// The name of the method in the log; `other` for a method that the service does not know.
    fileprivate var label: String {
        if case .other = self { "other" } else { name }
    }
}
