import SessionStoreTesting
import WaypostCore

@testable import PostgresStore
@testable import Sessions

extension PostgresStore {
    /// Opens a store whose clock stands at `Sample.now`.
    convenience init(testing target: ConnectionTarget, connections: Int, timeout: Duration) throws {
        var configuration = PostgresStore.Configuration()
        configuration.connections = connections
        configuration.timeout = timeout
        try self.init(
            target, configuration,
            environment: Environment(
                now: { Sample.now }, random: { .random(in: .min ... .max) }))
    }
}
