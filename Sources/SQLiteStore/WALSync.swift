import Foundation
import Synchronization

/// Syncs the write-ahead log to disk within 100 ms of a write, on a separate thread, for
/// `SQLiteStore.Durability.relaxed`.
final class WALSync: Sendable {
    private final class Log: Sendable {
        let descriptor: Int32
        let hasWrites = Atomic(false)

        init(descriptor: Int32) { self.descriptor = descriptor }

        deinit {
            fdatasync(descriptor)
            close(descriptor)
        }

        func sync() {
            if hasWrites.exchange(false, ordering: .relaxed) { fdatasync(descriptor) }
        }
    }

    private let log: Log
    private let stop = DispatchSemaphore(value: 0)

    init(path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .cannotOpen(path, reason: String(cString: strerror(errno)))
        }
        log = Log(descriptor: descriptor)
        let thread = Thread { [log, stop] in
            while stop.wait(timeout: .now() + .milliseconds(100)) == .timedOut { log.sync() }
        }
        thread.start()
    }

    deinit {
        stop.signal()
    }

    func noteWrite() { log.hasWrites.store(true, ordering: .relaxed) }
}
