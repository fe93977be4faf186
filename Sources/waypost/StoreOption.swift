import ArgumentParser
import Foundation

/// The store of the sessions: `memory`, `sqlite`, or `sqlite:FILE`.
enum StoreOption: ExpressibleByArgument, Equatable {
    case memory
    case sqlite(path: String)

    init?(argument: String) {
        switch argument {
        case "memory": self = .memory
        case "sqlite": self = .sqlite(path: Self.defaultPath)
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
        }
    }

    /// In the folder for state that must outlive a restart: systemd's, or the user's (XDG).
    static var defaultPath: String { stateFolder + "/waypost.sqlite" }

    /// The admin socket of the service that has the store.
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
