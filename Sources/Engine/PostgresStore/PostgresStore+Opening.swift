import SQLStore

// The checks at the start of a service, the migration, and the commands for a database that no service
// uses.

extension PostgresStore {
    /// Creates or migrates the tables of a database, as the command `waypost store migrate` does.
    /// Services of an earlier release whose schema this one replaces must not run.
    /// - Returns: the versions of the schema before and after the call. `before` is 0 if the tables
    ///   are new.
    /// - Throws: `PostgresStoreError` if the database cannot be used.
    package static func migrate(
        _ target: ConnectionTarget
    ) throws(PostgresStoreError) -> (before: Int, after: Int) {
        try withConnection(to: target) { connection, version in
            try Schema.migrate(connection)
            return (version, max(version, Schema.version))
        }
    }

    /// Reads all sessions with their logs, and all accounts, credentials, tokens and idempotency
    /// records, and reports the ones that cannot be read. Services may use the database meanwhile.
    /// - Returns: the number of sessions and accounts, and the defects that were found.
    /// - Throws: `.noSchema` if the database has no tables of Waypost, `.olderVersion` if they have an
    ///   earlier version of the schema, and other cases of `PostgresStoreError`.
    package static func check(
        _ target: ConnectionTarget
    ) throws(PostgresStoreError) -> StoreReport {
        try withConnection(to: target, checksServer: false) { connection, version in
            try requireCurrent(version, target)
            var check = StoreCheck(connection)
            return try check.run()
        }
    }

    /// Deletes all sessions and accounts of a store. No service may use the store.
    /// - Returns: the numbers of deleted sessions and accounts.
    /// - Throws: `.inUse` if a service uses the store, `.noSchema` if there are no tables,
    ///   `.olderVersion` or `.newerVersion` if they have another version of the schema, and other
    ///   cases of `PostgresStoreError`.
    package static func reset(
        _ target: ConnectionTarget
    ) throws(PostgresStoreError) -> (sessions: Int, accounts: Int) {
        try withConnection(to: target) { connection, version in
            try requireCurrent(version, target)
            guard version == Schema.version else {
                // A later version of the schema may have tables that this program does not empty.
                throw PostgresStoreError.newerVersion(
                    target.description, oldestProgram: version, known: Schema.version)
            }
            return try Schema.reset(connection)
        }
    }

    /// Connects to the server, checks its settings and the version of the schema, and creates or
    /// migrates the tables if `migration` allows it.
    /// - Returns: the incarnation of the store, a random number that identifies its content, nil if
    ///   the database has none; and the number of the host that accepts writes.
    static func prepare(
        _ target: ConnectionTarget, _ migration: Configuration.Migration
    ) throws(PostgresStoreError) -> (incarnation: Int?, host: Int) {
        try withConnection(to: target) { connection, version in
            let mayMigrate = migration == .on || migration == .new && version == 0
            if mayMigrate, version < Schema.version {
                try Schema.migrate(connection)
            } else {
                try requireCurrent(version, target)
            }
            let incarnation = try connection.numbers("SELECT incarnation FROM store").first
            return (incarnation ?? nil, connection.host)
        }
    }

    private static func requireCurrent(_ version: Int, _ target: ConnectionTarget) throws {
        if version == 0 { throw PostgresStoreError.noSchema(target.description) }
        if version < Schema.version {
            throw PostgresStoreError.olderVersion(
                target.description, found: version, known: Schema.version)
        }
    }

    /// Runs SQL text on a new connection. Only tests use this method.
    package static func execute(
        _ sql: String, on target: ConnectionTarget
    ) throws(PostgresStoreError) {
        try namingTarget(target) { _ = try connect(to: target).execute(sql) }
    }

    private static func namingTarget<Value>(
        _ target: ConnectionTarget, _ body: () throws -> Value
    ) throws(PostgresStoreError) -> Value {
        do {
            return try body()
        } catch let error as PostgresStoreError {
            throw error
        } catch is Schema.InUse {
            throw .inUse(target.description)
        } catch {
            let reason = (error as? DatabaseFailure)?.reason ?? "\(error)"
            throw .failed(target.description, reason: reason)
        }
    }

    static func connect(to target: ConnectionTarget) throws -> Connection {
        do throws(DatabaseFailure) {
            return try Connection(target)
        } catch {
            throw PostgresStoreError.cannotConnect(target.description, reason: error.reason)
        }
    }

    /// Connects to the server, and passes the connection and the version of the schema, 0 if there are
    /// no tables of Waypost, to a closure.
    /// - Throws: `.tooOldServer` if the server is not PostgreSQL 15 or later, `.notDurable` if commits
    ///   would not survive a power cut, `.encoding` if the database cannot hold all texts,
    ///   `.newerVersion` if this version of Waypost cannot use the schema, and the errors of the
    ///   closure.
    private static func withConnection<Value>(
        to target: ConnectionTarget, checksServer: Bool = true,
        _ body: (Connection, Int) throws -> Value
    ) throws(PostgresStoreError) -> Value {
        try namingTarget(target) {
            let connection = try connect(to: target)
            func setting(_ name: String) throws -> String {
                try connection.execute("SHOW \(name)").first?.first.flatMap(\.self) ?? ""
            }
            guard let version = Int(try setting("server_version_num")), version >= 150_000 else {
                throw PostgresStoreError.tooOldServer(
                    target.description, version: try setting("server_version"))
            }
            for name in ["fsync", "full_page_writes"]
            where try checksServer && setting(name) != "on" {
                throw PostgresStoreError.notDurable(target.description, setting: "\(name) = off")
            }
            let encoding = try setting("server_encoding")
            // SQL_ASCII stands for no encoding: the server stores the bytes that it gets.
            if checksServer, !["UTF8", "SQL_ASCII"].contains(encoding) {
                throw PostgresStoreError.encoding(target.description, name: encoding)
            }
            let schema = try Schema.versions(on: connection)
            if let schema, schema.oldestProgram > Schema.version {
                throw PostgresStoreError.newerVersion(
                    target.description, oldestProgram: schema.oldestProgram, known: Schema.version)
            }
            return try body(connection, schema?.version ?? 0)
        }
    }
}
