import SQLiteStore
import Sessions
import TestSupport
import Testing

/// The kinds of stores that `waypost serve` offers.
package enum StoreKind: String, Sendable, CaseIterable {
    case memory
    /// A file store that syncs each commit before the response: the default of `waypost serve`.
    case sqlite
    /// A store on a PostgreSQL server, in a database of its own.
    case postgres

    /// The kinds that can be tested here: a server is there if `Tests/postgres/with` started one.
    /// A quick run tests the store in memory only.
    package static let available = allCases.filter {
        switch $0 {
        case .memory: true
        case .sqlite: TestRun.current != .quick
        case .postgres: TestRun.current != .quick && TestDatabase.url != nil
        }
    }

    /// The kind of store of the current test case with `.everyStore`; `.memory` in other tests.
    @TaskLocal package static var current = StoreKind.memory

    /// Creates an empty store.
    /// - Parameter folder: the folder of a file store, which must exist as long as the store.
    package func makeStore(in folder: TemporaryFolder) throws -> any SessionStore {
        switch self {
        case .memory: MemoryStore()
        case .sqlite: try SQLiteStore(path: folder.file("waypost.sqlite"), durability: .full)
        case .postgres: try TestDatabase.open(try TestDatabase.make())
        }
    }
}

/// Runs each test case of a suite or test once with each kind of store. `TestService` creates a
/// store of this kind unless it is given a store. Each issue names the kind of store.
package struct EveryStore: SuiteTrait, TestTrait, TestScoping {
    package init() {}

    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        for kind in StoreKind.available {
            let naming = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("with the \(kind.rawValue) store")
                return issue
            }
            try await naming.provideScope(for: test, testCase: testCase) {
                try await StoreKind.$current.withValue(kind) { try await function() }
            }
        }
    }
}

extension Trait where Self == EveryStore {
    /// Runs each test case once with each kind of store.
    package static var everyStore: Self { Self() }
}
