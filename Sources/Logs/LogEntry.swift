import Logging

/// What is to become a line of the log. Made where it happens, written elsewhere.
struct LogEntry: Sendable {
    enum Content: Sendable {
        case access(AccessEntry)
        case message(String, [(name: String, value: String)])
    }

    /// In milliseconds since 1970.
    let time: Int
    let level: Logger.Level
    let label: String
    let content: Content
}
