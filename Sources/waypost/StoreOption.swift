import ArgumentParser
import Foundation

/// The kind of store for sessions: `memory`, `sqlite`, `sqlite:FILE`, or the URL of a PostgreSQL
/// database.
enum StoreOption: ExpressibleByArgument, Equatable {
    case memory
    case sqlite(path: String)
    case postgres(url: String)

    init?(argument: String) {
        switch argument {
        case "memory": self = .memory
        case "sqlite": self = .sqlite(path: Self.defaultPath)
        case let url where url.hasPrefix("postgres://") || url.hasPrefix("postgresql://"):
            self = .postgres(url: url)
        default:
            let path = argument.dropFirst("sqlite:".count)
            guard argument.hasPrefix("sqlite:"), !path.isEmpty else { return nil }
            self = .sqlite(path: String(path))
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .memory: "memory"
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres: "postgres://…"
        }
    }

    /// The default file, in the folder for persistent state: that of systemd or of the user (XDG).
    static var defaultPath: String { stateFolder + "/waypost.sqlite" }

    /// Returns the default path of the admin socket for a service that uses the store at `path`.
    static func socket(of path: String) -> String { path + ".socket" }

    private static var stateFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            return String(folder)
        }
        let state = environment["XDG_STATE_HOME"] ?? NSHomeDirectory() + "/.local/state"
        return state + "/waypost"
    }
}
