import HTTPCore
import JSON
import Logging
import Sessions
import WaypostCore

/// The routes of the admin socket, a local socket at which the operator's commands reach the
/// service.
package struct AdminAPI: RequestHandler {
    /// The maintenance operations of a store.
    package struct Maintenance: Sendable {
        /// Copies the store into a new file at `path`.
        package let backup: @Sendable (_ path: String) async throws(StorageError) -> Void
        /// Reads the whole store.
        package let check: @Sendable () async throws(StorageError) -> Report

        package init(
            backup: @escaping @Sendable (String) async throws(StorageError) -> Void,
            check: @escaping @Sendable () async throws(StorageError) -> Report
        ) {
            self.backup = backup
            self.check = check
        }
    }

    /// The name of the store that was read (the path of its file), a summary, and a description of
    /// each defect.
    package typealias Report = (store: String, summary: String, defects: [String])

    private let pipeline: Pipeline

    /// Creates the routes.
    /// - Parameters:
    ///   - maintenance: the operations that back up and check the store; nil leaves out their
    ///     routes.
    ///   - log: the log that gets one entry for each command; nil for no log.
    ///   - unknownOutcomes: counts the responses `outcome-unknown`, see `API.Configuration`.
    package init(
        _ maintenance: Maintenance?, accounts: AccountDirectory, sessions: SessionDirectory,
        log: Log? = nil, unknownOutcomes: Counter = Counter()
    ) {
        let router = Router(
            (maintenance.map(Self.storeRoutes) ?? [])
                + AccountAdminRoutes(accounts: accounts).routes
                + SessionAdminRoutes(directory: sessions).routes)
        let log = CommandLog(
            logger: log?.logger("waypost.admin"), unknownOutcomes: unknownOutcomes)
        pipeline = Pipeline(router, [log]) { problem, _ in Response(Self.withCause(problem)) }
    }

    /// Returns the problem of a store that failed with the cause, which clients do not get, as its
    /// detail.
    private static func withCause(_ problem: Problem) -> Problem {
        guard problem.kind == .storageUnavailable, let cause = problem.cause else { return problem }
        return Problem(problem.kind, cause, headers: problem.headers, cause: cause)
    }

    private static func storeRoutes(_ maintenance: Maintenance) -> [Route] {
        [
            Route(
                .post, "/store/backup",
                task: { context in
                    let path = try context.request.read(Self.path)
                    do throws(StorageError) {
                        try await maintenance.backup(path)
                    } catch {
                        throw Problem(.storageUnavailable, error.reason)
                    }
                    return { .object { $0.member("path", path) } }
                }),
            Route(
                .post, "/store/check",
                task: { _ in
                    let report: Report
                    do throws(StorageError) {
                        report = try await maintenance.check()
                    } catch {
                        throw Problem(.storageUnavailable, error.reason)
                    }
                    return {
                        .object { json in
                            json.member("store", report.store)
                            json.member("summary", report.summary)
                            json.member("defects", report.defects)
                        }
                    }
                }),
        ]
    }

    /// Reads the member `path`, which names a file. Records a defect if the path contains a NUL
    /// byte, because the operating system would ignore the rest of the path.
    @Sendable private static func path(_ body: inout BodyReader) -> String {
        let path = body.string("path")
        if path.utf8.contains(0) {
            body.note("holds a NUL byte; name a file without one", member: "path")
        }
        return path
    }

    package func answer(_ request: Request) -> Answer { pipeline.answer(request) }

    package func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response {
        Response(problem)
    }
}

/// Writes an entry to the log for each command of the operator.
private final class CommandLog: ResponseMiddleware {
    private let logger: Logger?
    private let unknownOutcomes: Counter

    init(logger: Logger?, unknownOutcomes: Counter) {
        self.logger = logger
        self.unknownOutcomes = unknownOutcomes
    }

    func before(_ context: Context) {}

    /// Writes a log entry with the URL path, the outcome and the subject of a command. The subject
    /// is the username, the file path or the first 8 characters of the session's id in the body of
    /// the request; it is empty if the body has none of these. The outcome is `done`, or the code of
    /// the problem in the response, which may have a cause that only the log shows. The entry never
    /// contains a password.
    func after(_ context: Context, _ response: inout Response) {
        let request = context.request
        if response.problem?.kind == .outcomeUnknown { unknownOutcomes.increment() }
        guard let logger else { return }
        let body = try? JSONValue(parsing: request.body, maximumDepth: 2)
        let subject =
            body?["username"]?.text ?? body?["path"]?.text
            ?? body?["session"]?.text.map { "\($0.prefix(8))…" } ?? ""
        var metadata: Logger.Metadata = [
            "command": "\(request.target.path)", "subject": "\(subject.prefix(256))",
            "outcome": "\(response.problem?.code ?? "done")",
        ]
        if let cause = response.problem?.cause { metadata["cause"] = "\(cause)" }
        logger.notice("an operator's command", metadata: metadata)
    }
}
