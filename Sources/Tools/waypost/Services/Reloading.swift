import AppDefinition
import AppLoading
import Logging

/// Loads the storyboard and the catalog again at each SIGHUP. `run` returns when its task is cancelled.
struct Reloading {
    let signals: AsyncStream<Void>
    let files: AppFiles
    let app: ReloadableApp
    let logger: Logger

    func run() async {
        for await _ in signals { reload() }
    }

    private func reload() {
        let data: LoadedApp
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
        app.replace(by: data)
        logger.notice(
            "reloaded",
            metadata: [
                "storyboard": "\(data.app.storyboard.name)", "data": "\(data.summary)",
            ])
    }
}
