import Foundation
import SessionStoreTesting
import Testing

@testable import PostgresStore

/// Tests of the encodings of databases and connections.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.url != nil))
struct EncodingTests {
    private func makeDatabase(encoding: String) throws -> ConnectionTarget {
        var url = try #require(TestDatabase.url.flatMap { URLComponents(string: $0) })
        let name = "encoding_\(encoding.lowercased())"
        try PostgresStore.execute(
            "CREATE DATABASE \(name) ENCODING '\(encoding)' TEMPLATE template0",
            on: try ConnectionTarget(try #require(url.string)))
        url.path = "/\(name)"
        return try ConnectionTarget(try #require(url.string))
    }

    @Test(
        "A database whose encoding cannot hold all texts is refused",
        arguments: ["EUC_JP", "LATIN1"])
    func otherEncoding(_ encoding: String) throws {
        let target = try makeDatabase(encoding: encoding)
        let expected = PostgresStoreError.encoding(target.description, name: encoding)
        #expect(throws: expected) { try PostgresStore.prepare(target, .new) }
        #expect(throws: expected) { try PostgresStore.migrate(target) }
    }

    @Test("A database without an encoding stores texts as they are")
    func noEncoding() async throws {
        let store = try TestDatabase.open(try makeDatabase(encoding: "SQL_ASCII"))
        let session = try Sample.session(1, name: "日本é")
        try await store.insert(session)
        #expect(try await store.session(session.id)?.name == "日本é")
    }

    @Test(
        "Texts are stored as they are, whatever encoding the settings of the connection name",
        arguments: ["&client_encoding=LATIN1", "%20-cclient_encoding%3DLATIN1"])
    func clientEncoding(setting: String) async throws {
        let url = try TestDatabase.makeURL()
        let other = try TestDatabase.open(try ConnectionTarget(url + setting))
        let store = try TestDatabase.open(try ConnectionTarget(url))
        for (number, name) in ["Café", "日本"].enumerated() {
            let session = try Sample.session(number, name: name)
            try await (number == 0 ? other : store).insert(session)
            for store in [store, other] {
                #expect(try await store.session(session.id)?.name == name)
            }
        }
    }
}
