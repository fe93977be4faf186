import SQLiteStore
import Sessions
import TestSupport
import Testing

/// The stores that `waypost serve` offers.
public enum StoreKind: String, Sendable, CaseIterable {
    case memory
    /// A file, with every commit on disk before it is answered: the default of `waypost serve`.
    case sqlite

    /// The kind that a test with `.everyStore` runs with now; `.memory` in other tests.
    @TaskLocal public static var current = StoreKind.memory

    /// Makes an empty store. A file is in `folder`, which must live as long as the store.
    public func makeStore(
        in folder: TemporaryFolder, eventRetention: Int = 10_000
    ) throws -> any SessionStore {
        switch self {
        case .memory: MemoryStore(eventRetention: eventRetention)
        case .sqlite:
            try SQLiteStore(
                path: folder.file("waypost.sqlite"), durability: .full,
                eventRetention: eventRetention)
        }
    }
}

/// Runs each test case of a suite or test once with each kind of store: `TestService` makes a store
/// of this kind unless it is given one. An issue says which kind the case ran with.
public struct EveryStore: SuiteTrait, TestTrait, TestScoping {
    public init() {}

    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }

    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        for kind in StoreKind.allCases {
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
    public static var everyStore: Self { Self() }
}
