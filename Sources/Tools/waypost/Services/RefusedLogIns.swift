import Logging
import Sessions

/// Logs bursts of refused log-ins: many in a short time, which can be attempts to guess passwords.
/// The log gets one line when a burst begins and one when it ends. `run` returns when its task is
/// cancelled.
struct RefusedLogIns {
    let accounts: Accounts
    let logger: Logger

    private static let interval = Duration.seconds(10)

    func run() async {
        var bursts = LogInBursts()
        while !Task.isCancelled {
            log(bursts.note(total: accounts.refusedLogIns))
            try? await Task.sleep(for: Self.interval)
        }
        log(bursts.note(total: accounts.refusedLogIns))
        log(bursts.end())
    }

    private func log(_ change: LogInBursts.Change?) {
        switch change {
        case .began(let count):
            logger.warning("log-ins are refused", metadata: ["count": .stringConvertible(count)])
        case .ended(let count):
            logger.notice(
                "log-ins are no longer refused", metadata: ["count": .stringConvertible(count)])
        case nil: break
        }
    }
}
