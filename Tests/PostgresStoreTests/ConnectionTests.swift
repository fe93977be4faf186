import Foundation
import SQLStore
import SessionStoreTesting
import Testing

@testable import PostgresStore

/// Tests of a connection to a server, and of the statements on it.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.url != nil))
struct ConnectionTests {
    /// Returns a target that has a host which closes each connection before or after the server.
    private func target(with closing: ClosingHost, first: Bool) throws -> ConnectionTarget {
        let text = try #require(TestDatabase.url)
        let url = try #require(URLComponents(string: text))
        let server = "\(try #require(url.host)):\(url.port ?? 5432)"
        let address = "127.0.0.1:\(closing.port)"
        let hosts = first ? [address, server] : [server, address]
        return try ConnectionTarget(
            text.replacing(server, with: hosts.joined(separator: ","), maxReplacements: 1))
    }

    @Test("A host that closes each connection is passed over, wherever it is", arguments: [0, 1])
    func closingHost(number: Int) throws {
        let target = try target(with: try ClosingHost(), first: number == 0)
        let connection = try Connection(target, to: .all(first: number))
        #expect(try connection.execute("SELECT 1") == [["1"]])
        #expect(connection.host == 1 - number)
    }

    @Test("The error of a connection says why each host was passed over")
    func noHost() throws {
        let port = try ClosingHost().port
        let target = try ConnectionTarget("postgres://127.0.0.1:\(port),127.0.0.1:1/waypost")
        let error = #expect(throws: DatabaseFailure.self) { try Connection(target) }
        let reason = "\(error?.reason, default: "")"
        #expect(reason.contains("port \(port) failed: "))
        #expect(reason.contains("port 1 failed: Connection refused"))
    }

    /// The errors that the store tells apart.
    enum ErrorKind { case transient, serverFull, serverUnusable, other }

    @Test(
        "The code of an error says whether it may be over, and whether the server is full or unusable",
        arguments: [
            ("40001", ErrorKind.transient), ("40P01", .transient), ("55P03", .transient),
            ("53000", .serverFull), ("53100", .serverFull), ("53200", .serverFull),
            ("25006", .serverUnusable), ("57P01", .serverUnusable), ("57P02", .serverUnusable),
            ("57P03", .serverUnusable), ("53300", .serverUnusable), ("23505", .other),
            ("57014", .other), ("53400", .other),
        ])
    func errorKinds(code: String, kind: ErrorKind) throws {
        let connection = try Connection(ConnectionTarget(#require(TestDatabase.url)))
        do {
            try connection.execute("DO $$ BEGIN RAISE SQLSTATE '\(code)'; END $$")
            Issue.record("the statement succeeded")
        } catch {
            guard case .refused(let error) = error else { throw error }
            #expect(error.code == code)
            #expect(error.isTransient == (kind == .transient))
            #expect(error.isServerFull == (kind == .serverFull))
            #expect(error.isServerUnusable == (kind == .serverUnusable))
        }
    }

    @Test("The server compiles no statement, whatever cost it expects of it")
    func noCompilation() async throws {
        let target = try TestDatabase.make()
        _ = try PostgresStore.prepare(target, .new)
        let connection = try PostgresStore.connect(to: target)
        _ = try connection.execute(ConnectionSettings.sql(isRelaxed: false))
        let plan = try connection.execute("EXPLAIN SELECT version, oldest_program FROM store")
        let text = plan.compactMap { $0.first.flatMap(\.self) }.joined(separator: "\n")
        #expect(text.contains("Seq Scan on store"))
        #expect(!text.contains("JIT:"), "\(text)")
    }

    @Test("No prepared statement reads a whole table", arguments: [0, 3000])
    func plans(rows: Int) async throws {
        let target = try TestDatabase.make()
        _ = try PostgresStore.prepare(target, .new)
        let connection = try PostgresStore.connect(to: target)
        _ = try connection.execute(ConnectionSettings.sql(isRelaxed: false))
        _ = try connection.execute("SET lock_timeout = 0")
        _ = try connection.execute(
            """
            INSERT INTO session (id, version, writer, revision, created_at, expires_at, purge_after,
              token_hash, credential, tail_first, tail_event, tail_has_state, tail)
              SELECT md5(i::text)::uuid, 1, 0, 1, 1, 2, 2, 't', decode(md5(i::text), 'hex'), 1, 1,
              true, 'x' FROM generate_series(1, \(rows)) AS i;
            INSERT INTO log SELECT md5(i::text)::uuid, 1, 2, 1, true, 'x'
              FROM generate_series(1, \(rows)) AS i;
            ANALYZE session, log
            """)
        for statement in [
            SetStatements.change, SetStatements.check, SetStatements.writers, SessionReads.session,
            SessionReads.log, SessionReads.events, BatchStatements.touchSessions,
        ] {
            _ = try connection.execute("PREPARE \"\(statement.name)\" AS \(statement.postgres)")
            let count = try connection.execute(
                """
                SELECT cardinality(parameter_types) FROM pg_prepared_statements
                WHERE name = '\(statement.name)'
                """)
            let number = count.first?.first.flatMap(\.self).flatMap { Int($0) } ?? 0
            let nulls = Array(repeating: "NULL", count: number).joined(separator: ", ")
            let plan = try connection.execute(
                "EXPLAIN EXECUTE \"\(statement.name)\" (\(nulls))")
            let text = plan.compactMap { $0.first.flatMap(\.self) }.joined(separator: "\n")
            for table in ["session", "log", "idempotency_record"] {
                #expect(!text.contains("Seq Scan on \(table)"), "\(statement.name): \(text)")
            }
        }
    }
}

/// A listener that accepts connections and closes them, as a proxy does whose server is gone. It
/// lives as long as the process.
private struct ClosingHost {
    let port: UInt16

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                guard let address = address.baseAddress else { return false }
                return bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true { close(accept(listener, nil, nil)) }
        }
    }
}
