import Logging

/// Brings what swift-log is given to the log.
struct LogWriter: LogHandler {
    let log: Log
    let label: String
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let provided = metadataProvider?.get() ?? [:]
        let all = metadata.merging(provided) { $1 }.merging(event.metadata ?? [:]) { $1 }
        var members = all.sorted { $0.key < $1.key }.map { (name: $0.key, value: "\($0.value)") }
        if let error = event.error { members.append(("error", "\(error)")) }
        log.append(event.level, label, .message(event.message.description, members))
    }
}
