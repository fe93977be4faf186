import MicrohttpdServer
import Synchronization

/// A weak reference to the server, for objects that are created before the server. `server` is nil
/// while there is no server.
final class ServerReference: Sendable {
    private struct Weak {
        weak var server: Server?
    }

    private let reference = Mutex(Weak())

    var server: Server? {
        get { reference.withLock { $0.server } }
        set { reference.withLock { $0.server = newValue } }
    }
}
