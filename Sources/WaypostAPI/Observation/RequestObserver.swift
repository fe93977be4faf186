import Dispatch
import HTTPCore
import Logging
import Logs
import Sessions

/// Names each request, counts it, and tells the log of it.
struct RequestObserver: Sendable {
    /// A request that is being carried out.
    struct Observation: Sendable {
        let id: String
        fileprivate let start: DispatchTime
    }

    let metrics: RequestMetrics
    private let ids: RequestIDs
    private let accessLog: Log?
    private let logger: Logger?
    /// Whether the first parameter of a path is a session's id.
    private let namesSession: [Bool]

    init(paths: [String], _ configuration: API.Configuration) {
        metrics = RequestMetrics(paths: paths)
        ids = RequestIDs(seed: configuration.seed)
        accessLog = configuration.isAccessLogged ? configuration.log : nil
        logger = configuration.log?.logger("waypost.api")
        namesSession = paths.map { $0.hasPrefix("/v1/sessions/{session}") }
    }

    func begin(_ request: Request) -> Observation {
        metrics.begin()
        return Observation(id: ids.id(of: request.headers), start: .now())
    }

    /// - Parameter problem: the one that is answered with.
    func end(
        _ observation: Observation, _ request: Request, _ match: Router.Match,
        _ response: inout Response, _ problem: Problem?
    ) {
        let end = DispatchTime.now().uptimeNanoseconds
        let duration = Duration.nanoseconds(end - observation.start.uptimeNanoseconds)
        response.headers.append(RequestIDs.field, observation.id)
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
    }

    /// Returns the id of what the server refuses without a request.
    /// - Parameter headers: Those that were read; a client's own id may be among them.
    func id(of headers: HeaderFields) -> String { ids.id(of: headers) }

    /// The server has refused what is no request.
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

    /// Enough of a session's id to find its requests, and not what opens it anyway.
    private func session(_ match: Router.Match, _ response: Response) -> String? {
        if let path = match.path, namesSession[path] { return Self.beginning(match.parameters[0]) }
        guard response.status == .created else { return nil }
        let components = response.headers["Location"]?.split(separator: "/")
        return components?.last.flatMap { Self.beginning($0) }
    }

    /// - Returns: nil for what is no id: who asks does not write into the log.
    private static func beginning(_ id: Substring) -> String? {
        SessionID(id).map { _ in String(id.prefix(8)) }
    }
}

extension Method {
    /// Its name, unless the client has made it up.
    fileprivate var label: String {
        if case .other = self { "other" } else { name }
    }
}
