import Foundation
import PostgresStore
import Sessions
import WaypostCore

/// Databases for tests, on the server that the environment names.
package enum TestDatabase {
    /// The URL of a database in which schemas can be made; nil if there is no server.
    package static let url = ProcessInfo.processInfo.environment["WAYPOST_TEST_POSTGRES"]
    /// The URL of a database on a second server, whose commits a test may let wait for a standby;
    /// nil if there is no such server.
    package static let waitingURL =
        ProcessInfo.processInfo.environment["WAYPOST_TEST_POSTGRES_WAITING"]

    /// Makes an empty schema, which stands for a database of its own.
    package static func make(on url: String? = url) throws -> ConnectionTarget {
        try ConnectionTarget(makeURL(on: url))
    }

    /// Makes an empty schema, as `make` does.
    /// - Returns: the URL of its database.
    package static func makeURL(on url: String? = url) throws -> String {
        let name = "test_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
        try PostgresStore.execute("CREATE SCHEMA \(name)", on: try ConnectionTarget(url ?? ""))
        let separator = (url ?? "").contains("?") ? "&" : "?"
        return "\(url ?? "")\(separator)options=-csearch_path%3D\(name)"
    }

    /// Opens a store with a few connections, as many stores are open at the same time.
    package static func open(_ target: ConnectionTarget) throws -> PostgresStore {
        var configuration = PostgresStore.Configuration()
        configuration.connections = 2
        return try PostgresStore(target, configuration, environment: environment)
    }

    private static let environment = Environment(
        now: { Timestamp(clock: Date().timeIntervalSince1970) },
        random: { .random(in: .min ... .max) })
}
