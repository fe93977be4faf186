import SQLStore

// The checks at the start of a service, and the migration.

extension PostgresStore {
    /// Creates or migrates the tables of a database, as the command `waypost store migrate` does.
    /// Services of an earlier release whose schema this one replaces must not run.
    /// - Returns: the versions of the schema before and after the call. `before` is 0 if the tables
    ///   are new.
    /// - Throws: `PostgresStoreError` if the database cannot be used.
    public static func migrate(
        _ target: ConnectionTarget
    ) throws(PostgresStoreError) -> (before: Int, after: Int) {
        try namingTarget(target) {
            let connection = try connect(to: target)
            try checkServer(connection, target)
            let before = try version(connection, target)
            guard try Schema.migrate(connection) else {
                throw PostgresStoreError.inUse(target.description)
            }
            return (before, max(before, Schema.version))
        }
    }

    /// Reads all sessions with their logs, and all accounts, credentials, tokens and idempotency
    /// records, and reports the ones that cannot be read. Services may use the database meanwhile.
    /// - Returns: the number of sessions and accounts, and the defects that were found.
    /// - Throws: `.cannotConnect` if there is no connection to the server, `.noSchema` if the
    ///   database has no tables of Waypost, `.failed` if a statement fails or the connection
    ///   breaks.
    public static func check(
        _ target: ConnectionTarget
    ) throws(PostgresStoreError) -> StoreReport {
        try namingTarget(target) {
            let connection = try connect(to: target)
            guard case .present = try Schema.state(on: connection) else {
                throw PostgresStoreError.noSchema(target.description)
            }
            var check = StoreCheck(connection)
            return try check.run()
        }
    }

    /// Deletes all sessions and accounts of a store. No service may use the store.
    /// - Returns: the numbers of deleted sessions and accounts.
    /// - Throws: `.inUse` if a service uses the store, `.noSchema` if there are no tables,
    ///   `.olderVersion` or `.newerVersion` if they have another version of the schema, and other
    ///   cases of `PostgresStoreError`.
    public static func reset(
        _ target: ConnectionTarget
    ) throws(PostgresStoreError) -> (sessions: Int, accounts: Int) {
        try namingTarget(target) {
            let connection = try connect(to: target)
            try checkServer(connection, target)
            let found = try version(connection, target)
            guard found > 0 else { throw PostgresStoreError.noSchema(target.description) }
            guard found == Schema.version else {
                // A later version of the schema may have tables that this program does not empty.
                throw found < Schema.version
                    ? PostgresStoreError.olderVersion(
                        target.description, found: found, known: Schema.version)
                    : .newerVersion(
                        target.description, oldestProgram: found, known: Schema.version)
            }
            guard let removed = try Schema.reset(connection) else {
                throw PostgresStoreError.inUse(target.description)
            }
            return removed
        }
    }

    /// Connects to the server, checks its settings and the version of the schema, and creates or
    /// migrates the tables if `migration` allows it.
    /// - Returns: the incarnation of the store, a random number that identifies its content, nil if
    ///   the database has none; and the number of the host that accepts writes.
    static func prepare(
        _ target: ConnectionTarget, _ migration: Configuration.Migration
    ) throws(PostgresStoreError) -> (incarnation: Int?, host: Int) {
        try namingTarget(target) {
            let connection = try connect(to: target)
            try checkServer(connection, target)
            let found = try version(connection, target)
            if found < Schema.version {
                guard migration == .on || migration == .new && found == 0 else {
                    throw found == 0
                        ? PostgresStoreError.noSchema(target.description)
                        : .olderVersion(
                            target.description, found: found, known: Schema.version)
                }
                guard try Schema.migrate(connection) else {
                    throw PostgresStoreError.inUse(target.description)
                }
            }
            let incarnation = try connection.execute("SELECT incarnation FROM store")
                .first?.first.flatMap(\.self).flatMap { Int($0) }
            return (incarnation, connection.host)
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
        } catch let failure as DatabaseFailure {
            throw .failed(target.description, reason: failure.reason)
        } catch {
            throw .failed(target.description, reason: "\(error)")
        }
    }

    static func connect(to target: ConnectionTarget) throws -> Connection {
        do throws(DatabaseFailure) {
            return try Connection(target)
        } catch {
            throw PostgresStoreError.cannotConnect(target.description, reason: error.reason)
        }
    }

    /// Checks that the server is PostgreSQL 15 or later, and that its settings make commits survive
    /// a power cut.
    /// - Throws: `.tooOldServer` or `.notDurable` if not.
    private static func checkServer(
        _ connection: Connection, _ target: ConnectionTarget
    ) throws {
        func setting(_ name: String) throws -> String {
            try connection.execute("SHOW \(name)").first?.first.flatMap(\.self) ?? ""
        }
        guard let version = Int(try setting("server_version_num")), version >= 150_000 else {
            throw PostgresStoreError.tooOldServer(
                target.description, version: try setting("server_version"))
        }
        for name in ["fsync", "full_page_writes"] where try setting(name) != "on" {
            throw PostgresStoreError.notDurable(target.description, setting: "\(name) = off")
        }
    }

    /// Returns the version of the schema in the database; 0 if the database has no tables of
    /// Waypost.
    /// - Throws: `.newerVersion` if this version of Waypost cannot use the schema.
    private static func version(
        _ connection: Connection, _ target: ConnectionTarget
    ) throws -> Int {
        guard case .present(let version, let oldest) = try Schema.state(on: connection) else {
            return 0
        }
        guard oldest <= Schema.version else {
            throw PostgresStoreError.newerVersion(
                target.description, oldestProgram: oldest, known: Schema.version)
        }
        return version
    }
}
