import Logging
import ServiceLifecycle
import WaypostAPI

/// Waits for the signal to stop, and says so. As it ends, the other services are told to stop.
struct Draining: Service {
    let signal: StopSignal
    let readiness: Readiness
    let logger: Logger

    func run() async {
        let name = await signal.wait()
        readiness.drain()
        logger.notice("stopping", metadata: ["signal": "\(name ?? "none")"])
    }
}
