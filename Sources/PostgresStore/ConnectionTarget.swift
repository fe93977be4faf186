import CPostgres
import Glibc

/// The server that a store is on: a URL in libpq's form, such as
/// `postgres://waypost@db1,db2/waypost?sslmode=verify-full` (PostgreSQL, section 34.1.1).
public struct ConnectionTarget: Sendable {
    /// The settings of libpq that the service needs unless the URL has others: a connection to a server
    /// that writes, and an early end of one to a host that is gone.
    private static let defaults = [
        ("target_session_attrs", "read-write"), ("connect_timeout", "2"),
        ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "10000"), ("application_name", "waypost"),
    ]

    private let url: String
    /// The hosts with their ports and the database, without a user or a password, for the log.
    public let description: String

    /// - Throws: `.badURL` with libpq's explanation.
    public init(_ url: String) throws(PostgresStoreError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &message) else {
            defer { PQfreemem(message) }
            let text = message.map { String(cString: $0) } ?? "no memory"
            throw .badURL(text.split(separator: "\n").joined(separator: "; "))
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        self.url = url
        description = Self.description(values)
    }

    private static func description(_ values: [String: String]) -> String {
        func list(_ name: String) -> [Substring] {
            (values[name] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        }
        let hosts = list("host").isEmpty ? list("hostaddr") : list("host")
        let ports = list("port")
        let addresses = hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports.first : ports.dropFirst(index).first
            return port.map { $0.isEmpty ? "\(host)" : "\(host):\($0)" } ?? "\(host)"
        }
        return "postgres://\(addresses.joined(separator: ","))/\(values["dbname"] ?? "")"
    }

    /// Connects, and waits for each host as long as `connect_timeout` says.
    /// - Returns: a connection, which may have failed; nil if there is no memory for one.
    func connect() -> OpaquePointer? {
        // Values that come later take precedence, and the URL is one that is expanded.
        let names = Self.defaults.map(\.0) + ["dbname"]
        let values = Self.defaults.map(\.1) + [url]
        let copies = (names + values).map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer<CChar>($0) }
        return PQconnectdbParams(
            Array(pointers.prefix(names.count)) + [nil],
            Array(pointers.suffix(values.count)) + [nil], 1)
    }
}

/// The reason why a store on a server cannot be used.
public enum PostgresStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    case badURL(String)
    case cannotConnect(String, reason: String)
    /// The database has no tables of Waypost, and the service may not create them.
    case noSchema(String)
    case olderVersion(String, found: Int, known: Int)
    case newerVersion(String, oldestProgram: Int, known: Int)
    case notDurable(String, setting: String)
    case tooOldServer(String, version: String)
    case failed(String, reason: String)

    public var description: String {
        switch self {
        case .badURL(let reason):
            "--store: \(reason); expected postgres://user@host:port/database"
        case .cannotConnect(let target, let reason): "\(target): cannot be opened: \(reason)"
        case .noSchema(let target):
            "\(target): has no tables of Waypost; make them with "
                + "waypost store migrate --store URL, or start with --migrate on"
        case .olderVersion(let target, let found, let known):
            "\(target): has schema version \(found), and this waypost needs \(known): "
                + "run waypost store migrate --store URL"
        case .newerVersion(let target, let oldest, let known):
            "\(target): needs a waypost that knows schema version \(oldest), and this one knows "
                + "up to \(known): run a later one"
        case .notDurable(let target, let setting):
            "\(target): the server has \(setting), so that a power cut can lose sessions: "
                + "turn it on in postgresql.conf"
        case .tooOldServer(let target, let version):
            "\(target): the server is PostgreSQL \(version); Waypost needs 15 or later"
        case .failed(let target, let reason): "\(target): \(reason)"
        }
    }
}
