/// Why a store cannot be opened.
public enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    case cannotOpen(String, reason: String)
    /// Another process has it. The holder is its process id, where that is known.
    case inUse(String, holder: String?)
    case newerVersion(String, found: Int, known: Int)
    /// The setting that makes a commit safe from a power cut did not take.
    case notDurable(String)
    case corrupt(String, reason: String)

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "\(path): cannot be opened: \(reason)"
        case .inUse(let path, let holder):
            "\(path): in use by "
                + (holder.map { "process \($0)" } ?? "another process")
                + "; stop it, or name another file with --store sqlite:FILE"
        case .newerVersion(let path, let found, let known):
            "\(path): has schema version \(found), and this waypost knows up to \(known): "
                + "run the waypost that wrote it, or a later one"
        case .notDurable(let path):
            "\(path): SQLite does not sync each commit: sessions would not survive a power cut"
        case .corrupt(let path, let reason):
            "\(path): \(reason); restore a backup with waypost restore"
        }
    }
}
