import Dispatch
import HTTPCore
import Synchronization
import Testing

@testable import MicrohttpdServer

/// A stream that a test drives.
final class TestSource: ResponseStream {
    struct State {
        var connection: (any StreamConnection)?
        var ends: [StreamEnd] = []
        var canSendCount = 0
        var checkCount = 0
    }

    let timeLimit: Duration?
    private let state = Mutex(State())
    private let hasBegun = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let first: [UInt8]?

    init(_ first: String? = "first\n", timeLimit: Duration? = nil) {
        self.first = first.map { Array($0.utf8) }
        self.timeLimit = timeLimit
    }

    func begin(on connection: any StreamConnection) {
        if let first { #expect(connection.send(first)) }
        state.withLock { $0.connection = connection }
        hasBegun.signal()
    }

    func canSend() { state.withLock { $0.canSendCount += 1 } }

    func heartbeat() {
        _ = state.withLock(\.connection)?.send([0x2E])
    }

    func check() { state.withLock { $0.checkCount += 1 } }

    func ended(_ end: StreamEnd) {
        state.withLock {
            $0.ends.append(end)
            $0.connection = nil
        }
        hasEnded.signal()
    }

    var canSendCount: Int { state.withLock(\.canSendCount) }
    var checkCount: Int { state.withLock(\.checkCount) }

    /// Waits for the end of the stream.
    func end() -> StreamEnd? {
        #expect(hasEnded.wait(timeout: .now() + 100) == .success)
        let ends = state.withLock(\.ends)
        #expect(ends.count == 1)
        return ends.last
    }

    /// Runs work on the streams' thread and returns its result.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (any StreamConnection) -> Value
    ) -> Value? {
        #expect(hasBegun.wait(timeout: .now() + 100) == .success)
        hasBegun.signal()
        guard let connection = state.withLock(\.connection) else { return nil }
        let result = Mutex<Value?>(nil)
        let done = DispatchSemaphore(value: 0)
        connection.run {
            let value = work(connection)
            result.withLock { $0 = value }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 100) == .success)
        return result.withLock(\.self)
    }

    func send(_ text: String) -> Bool? {
        run { $0.send(Array(text.utf8)) }
    }
}
