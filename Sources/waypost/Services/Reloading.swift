import AppDefinition
import Logging
import ServiceLifecycle

/// Loads the storyboard and the catalog again at each SIGHUP.
struct Reloading: Service {
    /// The maximum time that a reload waits for the requests in progress.
    private static let limit = Duration.seconds(10)

    let signals: AsyncStream<Void>
    let files: AppFiles
    let app: RunningApp
    let logger: Logger

    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals { await reload() }
        }
    }

    private func reload() async {
        let data: AppData
        do {
            data = try files.load()
        } catch {
            logger.error(
                "the files cannot be loaded, and the service continues with the old app",
                metadata: [
                    "cause": "\(error.defects.first?.description ?? "unknown")",
                    "defects": .stringConvertible(error.defects.count),
                ])
            return
        }
        for warning in data.warnings.prefix(100) { logger.warning("\(warning)") }
        guard await app.replace(by: data, within: Self.limit) else {
            logger.error(
                """
                requests were still in progress after \(Self.limit), and the service continues with the \
                old app: send SIGHUP again
                """)
            return
        }
        logger.notice(
            "reloaded",
            metadata: [
                "storyboard": "\(data.app.storyboard.name)", "data": "\(data.summary)",
            ])
    }
}
