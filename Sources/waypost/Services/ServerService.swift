import Foundation
import MicrohttpdServer
import ServiceLifecycle

/// A server that runs already. Told to stop, it finishes what runs.
struct ServerService: Service {
    let server: Server
    /// How long to wait for what runs, in milliseconds.
    let grace: Int

    func run() async {
        // It throws when the group is cancelled: that is a reason to stop, too.
        try? await gracefulShutdown()
        await withCheckedContinuation { continuation in
            // `stop` blocks, and joins the worker threads: neither a thread of the cooperative
            // pool nor one that an answer's task may have resumed on will do.
            Thread.detachNewThread { [server, grace] in
                server.stop(grace: grace)
                continuation.resume()
            }
        }
    }
}
