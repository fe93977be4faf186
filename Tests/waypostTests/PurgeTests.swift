import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import waypost

@Suite(.timeLimit(.minutes(1))) struct PurgeTests {
    @Test("A purge that fails is logged with its cause, and ends when it is cancelled")
    func failure() async throws {
        let store = try ScriptedStore(.memory)
        store.failCommits(ScriptedStore.failure)
        let output = TestLog.Output()
        let log = Log(.json, level: .info, now: { 0 }, write: output.write)
        defer { log.close() }
        let purge = Purge(
            store: store, environment: TestEnvironment().environment, logger: log.logger("waypost"))
        let running = Task { await purge.run() }
        await until { !output.text.isEmpty }
        running.cancel()
        await running.value
        #expect(output.lines.count == 1)
        #expect(output.text.contains(#""message":"expired data cannot be removed from the store""#))
        #expect(output.text.contains(#""cause":"the disk is full""#))
    }
}
