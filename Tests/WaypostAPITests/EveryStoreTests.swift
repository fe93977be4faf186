import PostgresStore
import SQLiteStore
import SessionStoreTesting
import Sessions
import Synchronization
import Testing
import WaypostTesting

/// Tests of the trait that runs a suite with every kind of store.
@Suite(.everyStore) struct EveryStoreTests {
    private let service: TestService

    init() throws { service = try TestService() }

    @Test("A service that a test creates has a store of the test's current kind")
    func store() {
        switch StoreKind.current {
        case .memory: #expect(service.store is MemoryStore)
        case .sqlite: #expect(service.store is SQLiteStore)
        case .postgres: #expect(service.store is PostgresStore)
        }
    }

    @Test("A shared service has a store of the test's current kind")
    func sharedService() throws {
        let shared = SharedService { try TestService() }
        let store = try shared.get().store
        #expect((store is SQLiteStore) == (StoreKind.current == .sqlite))
        #expect(try shared.get() === shared.get())
    }

    @Test("The trait runs a test once with each kind of store and reports failures of any kind")
    func kinds() async throws {
        let kinds = Mutex<[StoreKind]>([])
        let comments = Mutex<[String]>([])
        let test = try #require(Test.current)
        let capture = IssueHandlingTrait.compactMapIssues { issue in
            comments.withLock { $0 += issue.comments.map(\.rawValue) }
            return nil
        }
        try await capture.provideScope(for: test, testCase: nil) {
            try await EveryStore().provideScope(for: test, testCase: nil) {
                kinds.withLock { $0.append(StoreKind.current) }
                #expect(StoreKind.current == .memory)
            }
        }
        let others = StoreKind.available.filter { $0 != .memory }
        #expect(comments.withLock { $0 } == others.map { "with the \($0.rawValue) store" })
        #expect(kinds.withLock { $0 } == StoreKind.available)
    }
}
