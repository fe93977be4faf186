import CPostgres
import Glibc
import SQLStore
import WaypostCore

/// A connection to a PostgreSQL server. Only one thread may use a connection.
///
/// The blocking calls of libpq have no time limit, so this class waits for the socket with `poll`.
final class Connection {
    /// The interval at which a wait for the server checks `isOutdated`, in milliseconds.
    private static let pollTime: Int32 = 100

    /// Returns true if the connection is no longer wanted. A wait for the server then fails within
    /// about 100 ms.
    let isOutdated: () -> Bool
    /// The number of the server's host in the URL.
    let host: Int
    private let connection: OpaquePointer
    /// The names of the statements that are already prepared on this connection.
    private var prepared: Set<String> = []
    /// The maximum time of one wait for the server; nil for no limit.
    private let waitLimit: Duration?
    /// Holds the last warning that the server sent during a transaction. A warning at a commit
    /// means that the synchronous standby (the replica that must confirm commits) may not have the
    /// commit.
    private let warning = Warning()

    private final class Warning { var text: String? }

    /// Connects to the first of the given hosts that accepts writes.
    /// - Parameter waitLimit: the maximum time of one wait for the server. A longer wait fails with
    ///   `.lost`.
    /// - Throws: `.lost` with the error messages of these hosts.
    init(
        _ target: ConnectionTarget, to hosts: ConnectionTarget.Hosts = .all(first: 0),
        waitLimit: Duration? = nil, isOutdated: @escaping () -> Bool = { false }
    ) throws(DatabaseFailure) {
        self.waitLimit = waitLimit
        self.isOutdated = isOutdated
        (connection, host) = try target.connect(to: hosts)
        PQsetnonblocking(connection, 1)
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context else { return }
                let warning = Unmanaged<Warning>.fromOpaque(context).takeUnretainedValue()
                warning.text = PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
            }, Unmanaged.passUnretained(warning).toOpaque())
    }

    deinit { PQfinish(connection) }

    static func message(of connection: OpaquePointer) -> String {
        let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        return text.split(whereSeparator: { "\n\t".contains($0) }).joined(separator: " ")
    }

    // MARK: Statements

    /// Runs SQL text, which may contain several statements.
    /// - Returns: the rows of the last statement that returns rows. The values are texts; nil
    ///   stands for NULL.
    /// - Throws: `.refused` if a statement fails, `.lost` if the connection breaks.
    @discardableResult
    func execute(_ sql: String) throws(DatabaseFailure) -> [[String?]] {
        guard PQsendQuery(connection, sql) == 1 else { throw lost(wasSent: false) }
        try flush()
        var rows: [[String?]] = []
        var failure: DatabaseFailure?
        while let result = try nextResult() {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK: rows = Self.texts(result)
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            default: failure = failure ?? .refused(StatementError(result, index: 0))
            }
        }
        if let failure { throw failure }
        return rows
    }

    /// Runs a query, and returns the numbers in its first row; nil stands for NULL.
    func numbers(_ sql: String) throws(DatabaseFailure) -> [Int?] {
        (try execute(sql).first ?? []).map { $0.flatMap { Int($0) } }
    }

    /// Runs statements in one transaction and one round trip to the server.
    /// - Returns: the rows that each statement returns, in the order of the statements.
    /// - Throws: `.refused` if a statement or the commit fails; nothing is written then. `.lost` if
    ///   the connection breaks or the server sends a warning; its value `wasSent` says whether the
    ///   transaction may have been committed.
    func run(_ statements: [StoreStatement]) throws(DatabaseFailure) -> [Rows] {
        try checkIsOpen()
        warning.text = nil
        guard PQenterPipelineMode(connection) == 1 else { throw lost(wasSent: false) }
        // Each entry is the name of a statement to prepare, or nil for a statement to run.
        var sent: [String?] = []
        for statement in statements {
            if !prepared.contains(statement.text.name),
                !sent.contains(statement.text.name)
            {
                let (name, sql) = (statement.text.name, statement.text.postgres)
                guard PQsendPrepare(connection, name, sql, 0, nil) == 1 else {
                    throw lost(wasSent: false)
                }
                sent.append(name)
            }
            guard statement.send(on: connection) else { throw lost(wasSent: false) }
            sent.append(nil)
        }
        guard PQpipelineSync(connection) == 1 else { throw lost(wasSent: false) }
        try flush()
        let results = try readResults(of: sent)
        guard PQexitPipelineMode(connection) == 1 else { throw lost(wasSent: true) }
        if let text = warning.text {
            throw .lost("the server warned at a commit: \(text)", wasSent: true)
        }
        return try results.get()
    }

    /// Throws `.lost` with `wasSent` false if the server has closed the connection, as far as this
    /// machine knows. Otherwise, a transaction that is sent to it would have an unknown outcome.
    private func checkIsOpen() throws(DatabaseFailure) {
        var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        while poll(&descriptor, 1, 0) > 0 {
            guard PQconsumeInput(connection) == 1 else { throw lost(wasSent: false) }
        }
    }

    private func readResults(
        of sent: [String?]
    ) throws(DatabaseFailure) -> Result<[Rows], DatabaseFailure> {
        var rows: [Rows] = []
        var failure: DatabaseFailure?
        for name in sent {
            while let result = try nextResult() {
                switch PQresultStatus(result) {
                case PGRES_TUPLES_OK: rows.append(Rows(result))
                case PGRES_COMMAND_OK:
                    if let name { prepared.insert(name) } else { rows.append(Rows(result)) }
                case PGRES_PIPELINE_ABORTED: PQclear(result)
                default:
                    let error = StatementError(result, index: rows.count)
                    failure = failure ?? .refused(error)
                    PQclear(result)
                }
            }
        }
        // The result of `PQpipelineSync` says that the transaction has ended. A failed commit gives
        // an error before this result.
        while true {
            guard let result = try nextResult() else { continue }
            defer { PQclear(result) }
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC { break }
            failure = failure ?? .refused(StatementError(result, index: rows.count))
        }
        return failure.map { .failure($0) } ?? .success(rows)
    }

    // MARK: Waiting

    private func flush() throws(DatabaseFailure) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may wait until its own output has been read.
                try wait(for: Int16(POLLIN) | Int16(POLLOUT))
                guard PQconsumeInput(connection) == 1 else { throw lost(wasSent: true) }
            default: throw lost(wasSent: true)
            }
        }
    }

    private func nextResult() throws(DatabaseFailure) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            try wait(for: Int16(POLLIN))
            guard PQconsumeInput(connection) == 1 else { throw lost(wasSent: true) }
        }
        guard let result = PQgetResult(connection) else {
            guard PQstatus(connection) == CONNECTION_OK else { throw lost(wasSent: true) }
            return nil
        }
        return result
    }

    private func wait(for events: Int16) throws(DatabaseFailure) {
        var descriptor = pollfd(fd: PQsocket(connection), events: events, revents: 0)
        let end = waitLimit.map { ContinuousClock.now + $0 }
        while true {
            let count = poll(&descriptor, 1, Self.pollTime)
            if count > 0 { return }
            if isOutdated() { throw .lost("the connection was given up", wasSent: true) }
            if let waitLimit, let end, end < .now {
                throw .lost(
                    "the server did not respond within \(waitLimit.components.seconds) s: it or "
                        + "its synchronous standby may have stopped", wasSent: true)
            }
            guard count == 0 || errno == EINTR else {
                throw .lost("poll failed: \(String(cString: strerror(errno)))", wasSent: true)
            }
        }
    }

    private func lost(wasSent: Bool) -> DatabaseFailure {
        .lost(Self.message(of: connection), wasSent: wasSent)
    }

    private static func texts(_ result: OpaquePointer) -> [[String?]] {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) == 1
                    ? nil : PQgetvalue(result, row, column).map { String(cString: $0) }
            }
        }
    }
}

/// The settings that all connections of an open store share.
struct ConnectionSettings: Sendable {
    let target: ConnectionTarget
    /// Whether a commit may return before it is on disk.
    let isRelaxed: Bool
    let metrics: PostgresMetrics
    let now: @Sendable () -> Timestamp

    /// Connects to the database and applies the settings to the connection.
    /// - Parameters:
    ///   - waitLimit: the maximum time of one wait for the server; nil for no limit.
    ///   - countsFailure: whether the metrics count a failure. That a standby accepts no writes, for
    ///     example, is no failure.
    ///   - isOutdated: returns true if the connection is no longer wanted.
    func connect(
        to hosts: ConnectionTarget.Hosts, waitLimit: Duration? = nil, countsFailure: Bool = true,
        isOutdated: @escaping () -> Bool
    ) throws(DatabaseFailure) -> Connection {
        do throws(DatabaseFailure) {
            let connection = try Connection(
                target, to: hosts, waitLimit: waitLimit, isOutdated: isOutdated)
            try connection.execute(Self.sql(isRelaxed: isRelaxed))
            metrics.connected.increment()
            return connection
        } catch {
            if countsFailure { metrics.connectionFailed.increment() }
            throw error
        }
    }

    static func sql(isRelaxed: Bool) -> String {
        """
        SET synchronous_commit = \(isRelaxed ? "off" : "on");
        SET default_transaction_isolation = 'read committed';
        SET plan_cache_mode = force_generic_plan;
        SET enable_hashjoin = off;
        SET enable_mergejoin = off;
        SET enable_seqscan = off;
        -- The planner adds 10,000,000,000 to the cost of a statement that cannot do without a sequential
        -- scan. At that cost the server would compile the statement, which takes longer than running it.
        SET jit = off;
        -- A batch that meets a lock is tried again, and holds up no other one.
        SET lock_timeout = '200ms';
        -- A timer that fires just before a commit could end its wait for the standby.
        SET statement_timeout = 0;
        SET idle_in_transaction_session_timeout = '5s';
        SET client_min_messages = warning
        """
    }
}

/// The reason why a connection cannot be made, or why statements failed.
enum DatabaseFailure: Error, Sendable {
    /// The server has reported an error for a statement and has rolled back the whole transaction.
    case refused(StatementError)
    /// The connection could not be made, or can no longer be used. The text is the reason.
    /// - Parameter wasSent: whether a transaction was sent, so that it may have been committed.
    case lost(String, wasSent: Bool)

    /// Whether the server may have committed the transaction that failed.
    var mayBeCommitted: Bool {
        if case .lost(_, let wasSent) = self { wasSent } else { false }
    }

    /// A description of the failure for the log.
    var reason: String {
        switch self {
        case .refused(let error): "PostgreSQL \(error.code): \(error.message)"
        case .lost(let message, _): message
        }
    }
}

/// An error that the server reports for a statement.
struct StatementError: Error, Sendable {
    /// The SQLSTATE, an error code of five characters (PostgreSQL documentation, appendix A).
    let code: String
    /// The server's primary error message. It does not contain the parameters of the statement.
    let message: String
    /// The index of the failed statement in its transaction. If the commit itself failed, the index
    /// is the number of statements.
    let index: Int

    init(_ result: OpaquePointer, index: Int) {
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }
                .map { String(cString: $0) }
        }
        // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY are character constants. Swift does not
        // import them.
        self.code = field("C") ?? "?????"
        message = field("M") ?? "no message"
        self.index = index
    }

    /// Whether the same statements may succeed when they are run again: the error is a
    /// serialization failure, a deadlock or a lock timeout.
    var isTransient: Bool { ["40001", "40P01", "55P03"].contains(code) }

    /// Whether the server has too little disk space or memory for a write (SQLSTATE class 53).
    var isServerFull: Bool { ["53000", "53100", "53200"].contains(code) }

    /// Whether the server does not accept writes now: it is a standby, is starting or shutting
    /// down, or has too many connections.
    var isServerUnusable: Bool {
        ["25006", "57P01", "57P02", "57P03", "53300"].contains(code)
    }
}
