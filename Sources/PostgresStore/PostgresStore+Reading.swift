import SQLStore
import Sessions
import WaypostCore

extension PostgresStore {
    package func read<Value: Sendable>(
        _ subject: String, _ statement: StoreStatement,
        _ decode: @escaping @Sendable (any SQLRow) throws -> Value
    ) async throws(StorageError) -> [Value] {
        try await read(subject, BoundStatement(statement)) { try $0.map { try decode($0) } }
    }
}
