import ArgumentParser
import Foundation

/// An option's value that selects the store for sessions: `memory`, `sqlite`, `sqlite:FILE`, or the
/// URL of a PostgreSQL database.
enum StoreOption: ExpressibleByArgument, Equatable {
    case memory
    case sqlite(path: String)
    case postgres(url: String)
    /// Any other text. An error of the parser would print it, and it may be a URL with a password
    /// in which a character is wrong.
    case invalid

    /// The error for `invalid`.
    static let refusal = ValidationError(
        "--store must be memory, sqlite:FILE or postgres://USER@HOST/DATABASE")

    init(argument: String) {
        switch argument {
        case "memory": self = .memory
        case "sqlite": self = .sqlite(path: Self.defaultPath)
        case let url where url.lowercased().hasPrefix("postgres"):
            self = .postgres(url: url)
        default:
            let path = argument.dropFirst("sqlite:".count)
            self =
                argument.hasPrefix("sqlite:") && !path.isEmpty
                ? .sqlite(path: Self.resolved(String(path))) : .invalid
        }
    }

    /// Returns the path of the file to which a symbolic link leads. The lock, the socket, the
    /// write-ahead log and a replaced store are beside that file, under whatever name a command knows
    /// it.
    static func resolved(_ path: String) -> String {
        var path = path
        // The kernel, too, follows at most 40 links (path_resolution(7)).
        for _ in 0..<40 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            else { break }
            path =
                target.hasPrefix("/")
                ? target : URL(filePath: path).deletingLastPathComponent().path + "/" + target
        }
        return path
    }

    var defaultValueDescription: String {
        switch self {
        case .memory: "memory"
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres: "postgres://…"
        case .invalid: "invalid"
        }
    }

    /// The folder in which the service of the Debian package keeps its store.
    static let packageFolder = "/var/lib/waypost"

    /// The path of the file in which the service of the Debian package keeps its store.
    static var packagePath: String { resolved(packageFolder + "/waypost.sqlite") }

    /// The default path of the store's file. The file is in the first of these folders that
    /// applies:
    ///
    /// - the folder that systemd names in the environment variable `STATE_DIRECTORY`;
    /// - `packageFolder`, if the current user owns it and `XDG_STATE_HOME` is not set;
    /// - the folder `waypost` in the user's folder for persistent state (`XDG_STATE_HOME`, or by
    ///   default `~/.local/state`).
    ///
    /// A variable without a value is not set.
    static var defaultPath: String {
        resolved(stateFolder(ProcessInfo.processInfo.environment) + "/waypost.sqlite")
    }

    /// Returns the default path of the admin socket for a service that uses the store at `path`.
    static func socket(of path: String) -> String { path + ".socket" }

    /// Returns the folder of the store's file.
    /// - Parameter variables: the environment variables.
    static func stateFolder(_ variables: [String: String]) -> String {
        let environment = variables.filter { !$1.isEmpty }
        if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            return String(folder)
        }
        if environment["XDG_STATE_HOME"] == nil, isOwned(packageFolder) { return packageFolder }
        // Foundation ignores the variable HOME for root.
        let home = environment["HOME"] ?? NSHomeDirectory()
        return (environment["XDG_STATE_HOME"] ?? home + "/.local/state") + "/waypost"
    }

    /// Returns whether the user of this process owns the folder at `path`.
    private static func isOwned(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == geteuid()
    }
}
