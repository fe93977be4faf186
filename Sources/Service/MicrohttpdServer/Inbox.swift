import CEpoll
import Glibc
import Synchronization

/// The messages of other threads for a thread that waits for events.
final class Inbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        /// Whether the thread waits, or is about to wait, so that a message must wake it.
        var isWaiting = false
        var isClosed = false
    }

    /// An eventfd, which a message makes readable if the thread waits.
    let descriptor: Int32
    private let state = Mutex(State())

    /// - Throws: a `ServerError` if the system has no file descriptor left.
    init() throws(ServerError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw ServerError() }
    }

    deinit { close() }

    /// Adds a message, and wakes the thread if it waits. Any thread may call this method.
    /// - Returns: false if the inbox is closed; the message is then dropped.
    @discardableResult
    func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.messages.append(message)
            if state.isWaiting {
                state.isWaiting = false
                var one: UInt64 = 1
                write(descriptor, &one, 8)
            }
            return true
        }
    }

    // MARK: On the thread

    /// Exchanges the messages for `messages`, which must be empty.
    func take(_ messages: inout [Message]) { state.withLock { swap(&$0.messages, &messages) } }

    /// Notes that the thread is about to wait for the descriptor and its other events.
    /// - Returns: false if there are messages, so that the thread must not wait.
    func beginWait() -> Bool {
        state.withLock { state in
            state.isWaiting = state.messages.isEmpty
            return state.isWaiting
        }
    }

    /// Notes that the thread waits no longer.
    /// - Parameter isReadable: whether the descriptor was readable.
    func endWait(isReadable: Bool) {
        state.withLock { $0.isWaiting = false }
        guard isReadable else { return }
        var count: UInt64 = 0
        read(descriptor, &count, 8)
    }

    /// Closes the descriptor. The thread must not wait again.
    /// - Parameter onlyIfEmpty: whether an inbox with messages stays open.
    /// - Returns: whether the inbox is closed.
    @discardableResult
    func close(onlyIfEmpty: Bool = false) -> Bool {
        state.withLock { state in
            guard !state.isClosed, !onlyIfEmpty || state.messages.isEmpty else {
                return state.isClosed
            }
            state.isClosed = true
            Glibc.close(descriptor)
            return true
        }
    }
}

/// Starts a thread that is not one of Dispatch's pool. That pool is small, and a thread of the server
/// would occupy a place in it all the time.
/// - Throws: a `ServerError` if the system has no thread left.
func startThread(_ run: @escaping @Sendable () -> Void) throws(ServerError) -> pthread_t {
    final class Work {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    let work = Unmanaged.passRetained(Work(run))
    var thread = pthread_t()
    let status = pthread_create(
        &thread, nil,
        { context in
            if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
            return nil
        }, work.toOpaque())
    guard status == 0 else {
        work.release()
        throw ServerError()
    }
    return thread
}
