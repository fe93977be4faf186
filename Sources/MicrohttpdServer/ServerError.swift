import Glibc

/// Why a server could not be started.
public enum ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    case unknownHost(String, reason: String)
    case addressInUse(String, UInt16)
    /// What was tried, and the `errno`.
    case system(String, Int32)
    /// libmicrohttpd says no more than that.
    case notStarted

    public var description: String {
        switch self {
        case .unknownHost(let host, let reason): "cannot listen on \(host): \(reason)"
        case .addressInUse(let host, let port):
            "cannot listen on \(host):\(port): another process does; choose another port"
        case .system(let call, let error): "\(call): \(String(cString: strerror(error)))"
        case .notStarted: "libmicrohttpd could not start its threads"
        }
    }
}
