import ArgumentParser
import PostgresStore
import WaypostCore

/// The options of a store on a PostgreSQL server.
struct PostgresOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The number of connections to the database that requests share.",
            discussion: "One further connection checks the state of the database server.",
            valueName: "number",
            visibility: .hidden))
    var storeConnections = PostgresStore.Configuration().connections

    @Option(
        help: ArgumentHelp(
            "How long a request waits for the database.",
            discussion: """
                If the database confirms no commit for this time, requests are refused at once.
                """, valueName: "duration",
            visibility: .hidden))
    var storeTimeout = DurationOption(PostgresStore.Configuration().timeout)

    @Option(
        help: ArgumentHelp(
            """
            Whether the service creates the tables of the database when it starts: new creates them \
            in an empty database, on also migrates older tables, and off changes nothing.
            """, valueName: "on|off|new"))
    var migrate = PostgresStore.Configuration().migration

    func validate() throws {
        try checkRanges([("store-connections", storeConnections, 1...1000)])
    }

    /// Opens the store.
    /// - Parameters:
    ///   - url: the URL of the database.
    ///   - isRelaxed: whether the service may respond to a change before the change is on disk.
    /// - Throws: the reason why the store cannot be used, such as an invalid URL.
    func open(
        _ url: String, isRelaxed: Bool, _ environment: Environment,
        _ metrics: PostgresMetrics
    ) throws(PostgresStoreError) -> PostgresStore {
        var configuration = PostgresStore.Configuration()
        configuration.connections = storeConnections
        configuration.timeout = storeTimeout.duration
        configuration.isRelaxed = isRelaxed
        configuration.migration = migrate
        return try PostgresStore(
            ConnectionTarget(url), configuration, environment: environment, metrics: metrics)
    }
}

extension PostgresStore.Configuration.Migration: ExpressibleByArgument {}
