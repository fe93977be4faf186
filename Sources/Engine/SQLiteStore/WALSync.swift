import Dispatch
import Glibc
import Synchronization
import WaypostCore

/// Syncs the write-ahead log to disk within 100 ms of a write, on a separate thread, for
/// `SQLiteStore.Durability.relaxed`.
final class WALSync: Sendable {
    let descriptor: Int32
    private let isDue = Atomic(false)
    private let failed = Mutex<StorageError?>(nil)
    private let queue = DispatchQueue(label: "waypost.store.sync", qos: .userInitiated)

    init(path: String) throws(StoreError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .lastSystemError(path) }
    }

    deinit { close(descriptor) }

    /// The reason of the last failed sync; nil if none has failed. A later sync that succeeds does
    /// not write what the failed one lost, so the failure is final.
    var failure: StorageError? { failed.withLock(\.self) }

    /// Records a write. The store may end before its sync, which keeps this object until then.
    func noteWrite() {
        if isDue.exchange(true, ordering: .acquiringAndReleasing) { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { self.sync() }
    }

    private func sync() {
        isDue.store(false, ordering: .sequentiallyConsistent)
        guard fdatasync(descriptor) != 0 else { return }
        let cause = String(cString: strerror(errno))
        failed.withLock {
            $0 = StorageError(
                reason: "the write-ahead log could not be synced: \(cause); restart the service")
        }
    }
}
