import CPostgres
import Glibc
import Synchronization

/// A connection to a PostgreSQL server. Only one thread uses a connection; any thread may use its
/// `Interruption`.
///
/// libpq's own blocking calls have no time limit, so each wait here is a `poll` of the socket.
final class Connection {
    /// A request from another thread to give up a connection.
    final class Interruption: Sendable {
        private let isSet = Atomic(false)

        func interrupt() { isSet.store(true, ordering: .relaxed) }
        fileprivate var isInterrupted: Bool { isSet.load(ordering: .relaxed) }
    }

    /// The interval at which a wait checks for an interruption, in milliseconds.
    private static let pollTime: Int32 = 100

    private let connection: OpaquePointer
    private let interruption: Interruption
    /// The names of the statements that the server has prepared.
    private var prepared: Set<String> = []
    /// The maximum time of one wait for the server; nil for no limit.
    private var waitLimit: Duration?
    /// Holds the last warning that the server gave during a transaction. After a warning, the
    /// standby may not have the commit.
    private let warning = Warning()

    private final class Warning { var text: String? }

    /// Connects to the first host of the URL that accepts writes.
    /// - Parameter interruption: lets other threads give up the connection.
    /// - Throws: the reason why no host could be used.
    init(_ target: ConnectionTarget, _ interruption: Interruption) throws(DatabaseFailure) {
        self.interruption = interruption
        connection = try target.connect()
        PQsetnonblocking(connection, 1)
        // A warning at a commit means that the standby may not have the commit, see `run`.
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context else { return }
                let warning = Unmanaged<Warning>.fromOpaque(context).takeUnretainedValue()
                warning.text = PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
            }, Unmanaged.passUnretained(warning).toOpaque())
    }

    deinit { PQfinish(connection) }

    /// Sets the longest time for which the connection waits for the server. A wait that takes longer
    /// fails as if the connection were lost.
    func limitWaits(to limit: Duration) { waitLimit = limit }

    static func message(of connection: OpaquePointer) -> String {
        let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        return text.split(whereSeparator: { "\n\t".contains($0) }).joined(separator: " ")
    }

    // MARK: Statements

    /// Runs SQL text that may hold several statements.
    /// - Returns: the values, as text, of the last statement that returns rows.
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

    /// Runs statements in one transaction and one round trip.
    /// - Returns: the rows of each statement.
    /// - Throws: `.refused` if a statement fails: nothing is written then. `.lost` if the connection
    ///   breaks; the transaction may then have been committed.
    func run(_ statements: [BoundStatement]) throws(DatabaseFailure) -> [Rows] {
        warning.text = nil
        guard PQenterPipelineMode(connection) == 1 else { throw lost(wasSent: false) }
        // Each entry is the name of a statement that is prepared, or nil for one that runs.
        var sent: [String?] = []
        for statement in statements {
            if !prepared.contains(statement.statement.name),
                !sent.contains(statement.statement.name)
            {
                let (name, sql) = (statement.statement.name, statement.statement.sql)
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
            if interruption.isInterrupted || end.map({ $0 < .now }) ?? false {
                throw .lost("the server did not respond in time", wasSent: true)
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

/// The reason why statements failed.
enum DatabaseFailure: Error, Sendable {
    /// The server has refused a statement; the whole transaction is rolled back.
    case refused(StatementError)
    /// The connection could not be made, or is no longer usable.
    /// - Parameter wasSent: whether the transaction may have been committed.
    case lost(String, wasSent: Bool)

    /// The text for the log.
    var reason: String {
        switch self {
        case .refused(let error): "PostgreSQL \(error.code): \(error.message)"
        case .lost(let message, _): message
        }
    }
}

/// An error that the server gives for a statement.
struct StatementError: Error, Sendable {
    /// The SQLSTATE, five characters (PostgreSQL, appendix A).
    let code: String
    /// The primary message, which holds no values of the statement.
    let message: String
    /// The number of statements before the one that failed.
    let index: Int

    init(_ result: OpaquePointer, index: Int) {
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }
                .map { String(cString: $0) }
        }
        // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY are character constants, which Swift does not
        // import.
        self.code = field("C") ?? "?????"
        message = field("M") ?? "no message"
        self.index = index
    }

    /// Whether the same statements may succeed when they are run again: a serialization failure, a
    /// deadlock, or a lock that was not free in time.
    var isTransient: Bool { ["40001", "40P01", "55P03"].contains(code) }

    /// Whether the server has too little disk space or memory for a write (SQLSTATE class 53).
    var isServerFull: Bool { ["53000", "53100", "53200"].contains(code) }

    /// Whether the server cannot be used for writes: it is a standby, is shutting down or starting, or
    /// has too many connections.
    var isServerUnusable: Bool {
        ["25006", "57P01", "57P02", "57P03", "53300"].contains(code)
    }
}
