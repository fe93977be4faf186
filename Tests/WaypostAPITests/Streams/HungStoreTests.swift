import SessionStoreTesting
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

@Suite("Streams on a shared store", .timeLimit(.minutes(10))) struct HungStoreTests {
    @Test("While the store hangs, at most one check of each session waits for it")
    func hungStore() async throws {
        let streams = 40
        let store = try ScriptedStore(.memory, isShared: true)
        var configuration = API.Configuration()
        configuration.streams.lookInterval = .zero
        let service = try TestService(store: store, configuration: configuration)
        let thread = TestStreamExecutor()
        var open: [TestStream] = []
        for _ in 0..<streams {
            open.append(try await Client(service.api).stream(on: thread))
        }
        let gate = Gate()
        store.hold(.check, at: gate)
        let count = store.count(.check)
        await gate.waitForArrivals(1)
        for _ in 0..<10_000 { await Task.yield() }
        // The checks of the round in progress at `hold`, and of the round after it.
        #expect(store.count(.check) <= count + 2 * streams)
        store.hold(.check, at: nil)
        gate.open()
        await until { store.count(.check) > count + 2 * streams }
        for stream in open { stream.end(.client) }
        await thread.wait()
    }
}
