import Dispatch
import HTTPCore
import JSON
import Synchronization
import TestSupport
import Testing
import WaypostCore

/// The thread of a test's streams.
final class TestStreamThread: Sendable {
    private let queue = DispatchQueue(label: "test streams")

    func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Runs `work` after all earlier work, and returns when it has run.
    func wait(for work: @escaping @Sendable () -> Void = {}) async {
        await withCheckedContinuation { continuation in
            queue.async {
                work()
                continuation.resume()
            }
        }
    }

    /// Keeps the thread from work until `resume`.
    func suspend() { queue.suspend() }
    func resume() { queue.resume() }
}

/// A message that a client has received.
struct StreamMessage: Equatable {
    var type: String?
    var id: String?
    var data = JSONValue.null

    /// The revision before the message and the one after it.
    var revisions: [Int?] { [data["from"]?.number, data["revision"]?.number] }
    var sequence: [Int] { data["events"]?.elements?.compactMap { $0["seq"]?.number } ?? [] }
}

/// The connection of a stream, as a client sees it.
final class TestStream: StreamConnection {
    private struct State {
        var text = ""
        /// The number of bytes that the stream has sent.
        var size = 0
        var isBlocked = false
        var hasEnded = false
    }

    let stream: any ResponseStream
    private let onEnd: @Sendable (StreamEnd) -> Void
    private let thread: TestStreamThread
    private let state = Mutex(State())
    private let received: AsyncStream<StreamMessage>
    private let continuation: AsyncStream<StreamMessage>.Continuation

    var run: @Sendable (@escaping @Sendable () -> Void) -> Void { thread.run }

    init(
        _ stream: any ResponseStream, _ thread: TestStreamThread,
        onEnd: @escaping @Sendable (StreamEnd) -> Void
    ) {
        self.stream = stream
        self.onEnd = onEnd
        self.thread = thread
        (received, continuation) = AsyncStream.makeStream()
    }

    // MARK: The server's side

    func send(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.isBlocked else { return false }
            state.size += bytes.count
            state.text += String(decoding: bytes, as: UTF8.self)
            while let end = state.text.range(of: "\n\n") {
                let block = state.text[..<end.lowerBound]
                if let message = Self.message(block) { continuation.yield(message) }
                state.text.removeSubrange(..<end.upperBound)
            }
            return true
        }
    }

    func end() { end(.source) }

    /// Parses a server-sent event (HTML standard, section 9.2.6).
    /// - Returns: nil for a block without data.
    private static func message(_ block: Substring) -> StreamMessage? {
        var message = StreamMessage()
        var data: String?
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
            switch parts[0] {
            case "event": message.type = value
            case "id": message.id = value
            case "data": data = value
            default: break
            }
        }
        guard let data else { return nil }
        message.data = (try? JSONValue(parsing: Array(data.utf8), maximumDepth: 64)) ?? .null
        return message
    }

    // MARK: The test's side

    var size: Int { state.withLock(\.size) }

    /// Returns the next message; nil if the stream has ended.
    func next() async -> StreamMessage? {
        for await message in received { return message }
        return nil
    }

    /// Returns all messages that have been sent, without a wait for others.
    func sent() async -> [StreamMessage] {
        await thread.wait()
        var messages: [StreamMessage] = []
        end(.client)
        while let message = await next() { messages.append(message) }
        return messages
    }

    /// Makes the stream refuse messages, as if its client did not read.
    func block() { state.withLock { $0.isBlocked = true } }

    func unblock() async {
        state.withLock { $0.isBlocked = false }
        await thread.wait { [self] in stream.canSend() }
    }

    /// The end of a heartbeat interval in which nothing was sent.
    func heartbeat() async {
        await check()
        await thread.wait { [self] in stream.heartbeat() }
    }

    /// The end of a heartbeat interval in which something was sent.
    func check() async { await thread.wait { [self] in stream.check() } }

    func end(_ reason: StreamEnd.Reason) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard isFirst else { return }
        continuation.finish()
        thread.run { [self] in
            let end = StreamEnd(reason, size: size)
            stream.ended(end)
            onEnd(end)
        }
    }
}

extension Client {
    /// Opens a stream of the session's changes.
    /// - Parameter work: runs after the response, and before the stream begins.
    func stream(
        _ query: String = "", after cursor: String? = nil, on thread: TestStreamThread,
        beginningAfter work: () async throws -> Void = {}
    ) async throws -> TestStream {
        var fields: HeaderFields = ["Authorization": "Bearer \(token)"]
        if let cursor { fields.append("Last-Event-ID", cursor) }
        let response = await api.respond(
            to: Request(
                method: .get, target: try RequestTarget("/v1/sessions/\(id)/changes\(query)"),
                headers: fields))
        try #require(response.status == .ok)
        #expect(response.headers["Content-Type"] == "text/event-stream")
        #expect(response.headers["Cache-Control"] == "no-store")
        #expect(response.headers["X-Accel-Buffering"] == "no")
        guard case .stream(let content, let onEnd) = response.body else {
            throw Problem(.internalError, "the response is not a stream")
        }
        let stream = TestStream(content, thread, onEnd: onEnd)
        try await work()
        await thread.wait { content.begin(on: stream) }
        return stream
    }

    func push(_ scene: String = "titles") async throws {
        try #require(try await send("POST", "push", #"{"scene": "\#(scene)"}"#).status == 200)
    }
}
