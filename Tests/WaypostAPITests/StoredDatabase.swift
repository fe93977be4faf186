import Foundation
import JSON
import PostgresStore
import SQLStore
import SQLiteStore
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

/// A copy of a database of an earlier version, and the answers that this version gave.
/// `Tests/stored/make` has made them.
struct StoredDatabase {
    enum Kind: String, Sendable, CaseIterable {
        case sqlite = "db"
        case postgres = "sql"

        /// The kinds that can be tested here.
        static var available: [Self] { TestDatabase.url == nil ? [.sqlite] : allCases }
    }

    struct Request {
        let method: String
        let path: String
        let token: String?
        /// The `Idempotency-Key`, if the request is the repetition of one that was carried out.
        let key: String?
        /// Whether the answer is the stored one.
        let isReplayed: Bool
        let body: String
        let status: Int
        /// The body of the answer, or the code of a problem.
        let answer: String
        /// The members of the answer that are not compared.
        let without: [String]
    }

    /// The requests in the order in which the answers were given.
    let requests: [Request]
    let storyboard: String
    private let now: Timestamp
    private let kind: Kind
    private let folder: TemporaryFolder
    private let target: ConnectionTarget?

    /// Makes a copy of the database.
    /// - Parameter name: the name of a storyboard in `Tests/stored`.
    init(_ name: String, in kind: Kind, version: String = "sqlite11-postgres4") async throws {
        self.kind = kind
        let stored = Shell.checkout.appending(path: "Tests/stored")
        storyboard = stored.appending(path: "\(name).json").path
        let files = stored.appending(path: "\(version)/\(name)")
        let folder = try TemporaryFolder()
        self.folder = folder
        let unpacked = try await Shell.run(
            """
            for file in answers \(kind.rawValue) \(kind.rawValue).values; do
                xz -dc "\(files.path).$file.xz" > "\(folder.path)/$file" || exit
            done
            """)
        try #require(unpacked.status == 0, "\(unpacked.errors)")
        func text(_ file: String) throws -> String {
            try String(contentsOfFile: folder.file(file), encoding: .utf8)
        }
        var values = try text("\(kind.rawValue).values").split(separator: "\n")[...]
        now = Timestamp(milliseconds: try #require(Int(values.removeFirst())))
        let parts = try text("answers").split(separator: "¤", omittingEmptySubsequences: false)
        try #require(parts.count == values.count + 1)
        let lines = zip(parts, values + [""]).map { $0 + $1 }.joined()
        requests = try lines.split(separator: "\n").map(Request.init)
        switch kind {
        case .sqlite: target = nil
        case .postgres:
            let target = try TestDatabase.make()
            try PostgresStore.execute(
                text("sql").replacing("public.", with: ""), on: target)
            self.target = target
        }
    }

    /// Opens the database, which migrates it. The clock stands at the moment of the answers.
    func open() throws -> TestService {
        let environment = Environment(
            now: { [now] in now }, random: { .random(in: 0...UInt64.max) })
        let store: any SessionStore
        if let target {
            var configuration = PostgresStore.Configuration()
            configuration.connections = 2
            configuration.migration = .on
            store = try PostgresStore(target, configuration, environment: environment)
        } else {
            store = try SQLiteStore(path: folder.file(kind.rawValue))
        }
        return try TestService(
            storyboard: storyboard, store: store, environment: environment)
    }

    /// Checks the database. No store may have it open.
    func check() throws -> StoreReport {
        if let target { return try PostgresStore.check(target) }
        return try SQLiteStore.check(folder.file(kind.rawValue))
    }
}

extension StoredDatabase.Request {
    fileprivate init(_ line: Substring) throws {
        let json = try JSONValue(parsing: Array(line.utf8), maximumDepth: 32)
        func text(_ name: String) throws -> String { try #require(json[name]?.text) }
        method = try text("method")
        path = try text("path")
        token = json["token"]?.text
        key = json["key"]?.text
        isReplayed = json["replayed"]?.flag ?? false
        body = json["body"]?.text ?? ""
        status = try #require(json["status"]?.number)
        answer = try text("answer")
        without = json["without"]?.texts ?? []
    }
}
