import MicrohttpdServer
import Synchronization

/// The server, for what has to be made before it. Does not keep it alive.
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
