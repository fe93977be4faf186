import Foundation
import Synchronization
import WaypostCore

/// Syncs the write-ahead log to disk within 100 ms of a write, on a separate thread, for
/// `SQLiteStore.Durability.relaxed`.
final class WALSync: Sendable {
    private final class Log: Sendable {
        let descriptor: Int32
        let hasWrites = Atomic(false)
        let failure = Mutex<StorageError?>(nil)

        init(descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        func sync() {
            guard hasWrites.exchange(false, ordering: .relaxed), fdatasync(descriptor) != 0 else {
                return
            }
            let cause = String(cString: strerror(errno))
            failure.withLock {
                $0 = StorageError(
                    reason: "the write-ahead log could not be synced: \(cause); restart the service"
                )
            }
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
            log.sync()
        }
        thread.start()
    }

    deinit {
        stop.signal()
    }

    var descriptor: Int32 { log.descriptor }

    /// The reason of the last failed sync; nil if none has failed. A later sync that succeeds does
    /// not write what the failed one lost, so the failure is final.
    var failure: StorageError? { log.failure.withLock(\.self) }

    func noteWrite() { log.hasWrites.store(true, ordering: .relaxed) }
}
