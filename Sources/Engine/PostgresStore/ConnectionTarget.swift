import CPostgres

/// The server and the database of a store: a URL in the format of libpq, such as
/// `postgres://waypost@db1,db2/waypost?sslmode=verify-full` (PostgreSQL documentation, section
/// 34.1.1).
package struct ConnectionTarget: Sendable {
    /// The libpq settings that apply unless the URL contains others. They select a server that
    /// accepts writes, and make the connection to an unreachable host fail early.
    private static let defaults = [
        "target_session_attrs": "read-write", "connect_timeout": "2", "keepalives_idle": "5",
        "keepalives_interval": "2", "keepalives_count": "3", "tcp_user_timeout": "10000",
        "application_name": "waypost",
    ]

    /// The libpq settings that apply whatever the URL, the environment and the server say. With
    /// another encoding, the server would convert the texts, which are UTF-8.
    private static let fixed = ["client_encoding": "UTF8"]

    /// The settings of the URL.
    private let settings: [String: String]
    /// The name, address and port of each host of the URL.
    private let hosts: [[String: String]]
    /// A short form of the URL for the log: the hosts with their ports, and the database, but
    /// neither the user nor the password.
    package let description: String

    /// Parses a URL.
    /// - Throws: `.badURL`, with the explanation of libpq, if the URL is invalid, or if its host, port
    ///   or database may be a part of a password.
    package init(_ url: String) throws(PostgresStoreError) {
        // Without a scheme, libpq reads the text as settings of the form `name=value`.
        guard ["postgres://", "postgresql://"].contains(where: url.hasPrefix) else {
            throw .badURL("the URL does not begin with postgres://")
        }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &message) else {
            defer { PQfreemem(message) }
            let text = message.map { String(cString: $0) } ?? "no memory"
            throw .badURL(
                Self.withoutPassword(text, url).split(separator: "\n").joined(separator: "; "))
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            values[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
            option += 1
        }
        // libpq ends a password at its first @ or /, and reads the rest as a host, port or database.
        if url.wholeMatch(of: /[a-z]+:\/\/([^@\/]*@)?[^@]*/) == nil {
            throw .badURL("the URL has more than one @, or an @ after a /\(Self.hint)")
        }
        guard values["port"]?.allSatisfy({ $0.isNumber || $0 == "," }) ?? true else {
            throw .badURL("the port is not a number\(Self.hint)")
        }
        settings = values
        hosts = Self.hosts(values)
        let addresses = hosts.map { host in
            [host["host"] ?? host["hostaddr"], host["port"]].compactMap(\.self)
                .filter { !$0.isEmpty }.joined(separator: ":")
        }
        description =
            "postgres://\(addresses.joined(separator: ","))/\(values["dbname"] ?? "")"
    }

    /// Returns an explanation of libpq without the parts of the URL that it quotes: they can contain
    /// the password, or a part of it. The name of an unknown setting stays, unless it may belong to
    /// a password with a question mark.
    private static func withoutPassword(_ explanation: String, _ url: String) -> String {
        let isSetting =
            explanation.hasPrefix("invalid URI query parameter")
            && url.firstRange(of: /\?.*@/) == nil
        if isSetting { return explanation }
        return explanation.replacing(/: ".*"/.dotMatchesNewlines()) { _ in hint }
    }

    private static let hint =
        " (characters such as %, @ and / of a name or password are written as %25, %40 and %2F)"

    private static func hosts(_ settings: [String: String]) -> [[String: String]] {
        let lists = settings.filter { ["host", "hostaddr", "port"].contains($0.key) }
            .mapValues {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
        let count = lists.filter { $0.key != "port" }.map(\.value.count).max() ?? 0
        return (0..<count).map { index in
            // A single port applies to all hosts.
            lists.compactMapValues { $0.count == 1 ? $0[0] : $0.dropFirst(index).first }
        }
    }

    /// The hosts of the URL to try, by their numbers.
    enum Hosts {
        /// One host.
        case only(Int)
        /// All hosts in the order of the URL, but one of them first.
        case all(first: Int)
    }

    /// The number of hosts in the URL; 1 if the URL names none, so that libpq chooses one.
    var hostCount: Int { max(hosts.count, 1) }

    /// Connects to the first host that accepts writes. libpq itself tries the next host only if a host
    /// cannot be reached. This method also does so if a host accepts the connection and then closes
    /// it, as a proxy does when its server is down.
    /// - Returns: an open connection, which the caller must close, and the number of its host.
    /// - Throws: `.lost` with the error messages of all hosts that were tried.
    func connect(
        to choice: Hosts
    ) throws(DatabaseFailure) -> (connection: OpaquePointer, host: Int) {
        var reasons: [String] = []
        let numbers =
            switch choice {
            case .only(let host): [host]
            case .all(let first): [first] + (0..<hostCount).filter { $0 != first }
            }
        for number in numbers {
            let host = hosts.isEmpty ? [:] : hosts[number]
            let parameters = Self.defaults.merging(settings) { $1 }.merging(host) { $1 }
                .merging(Self.fixed) { $1 }
            let text = parameters.map { name, value in
                let escaped = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
                return "\(name)='\(escaped)'"
            }.joined(separator: " ")
            guard let connection = PQconnectdb(text) else {
                throw .lost("libpq has no memory for a connection", wasSent: false)
            }
            if PQstatus(connection) == CONNECTION_OK { return (connection, number) }
            reasons.append(Connection.message(of: connection))
            PQfinish(connection)
        }
        throw .lost(reasons.joined(separator: "; "), wasSent: false)
    }
}

/// The reason why a store on a PostgreSQL server cannot be used. The first value of each case
/// except `.badURL` names the database for the message.
package enum PostgresStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    case badURL(String)
    case cannotConnect(String, reason: String)
    /// The database has no tables of Waypost, and this operation may not create them.
    case noSchema(String)
    case olderVersion(String, found: Int, known: Int)
    case newerVersion(String, oldestProgram: Int, known: Int)
    case notDurable(String, setting: String)
    case tooOldServer(String, version: String)
    /// The database has an encoding that cannot hold all texts.
    case encoding(String, name: String)
    /// A running service uses the tables of Waypost in the database. `PostgresStore.reset`
    /// therefore does not empty them.
    case inUse(String)
    case failed(String, reason: String)

    package var description: String {
        switch self {
        case .badURL(let reason):
            "--store: \(reason); expected postgres://user@host:port/database"
        case .cannotConnect(let target, let reason): "\(target): cannot be opened: \(reason)"
        case .noSchema(let target):
            "\(target): the database has no tables of Waypost; create them with "
                + "waypost store migrate --store URL, or start with --migrate on"
        case .olderVersion(let target, let found, let known):
            "\(target): the database has schema version \(found), but this waypost needs "
                + "\(known): run waypost store migrate --store URL"
        case .newerVersion(let target, let oldest, let known):
            "\(target): the database needs a waypost that supports schema version \(oldest), but "
                + "this waypost supports only versions up to \(known): run a later one"
        case .notDurable(let target, let setting):
            "\(target): the server has \(setting), so that a power cut can lose sessions: "
                + "turn it on in postgresql.conf"
        case .tooOldServer(let target, let version):
            "\(target): the server is PostgreSQL \(version); Waypost needs 15 or later"
        case .encoding(let target, let name):
            "\(target): the database has the encoding \(name), which cannot hold all texts: create "
                + "one with ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0"
        case .inUse(let target):
            "\(target): in use by a service: stop all services of the database first"
        case .failed(let target, let reason): "\(target): \(reason)"
        }
    }
}
