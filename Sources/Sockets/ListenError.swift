import Glibc

/// Why an address could not be listened on.
public enum ListenError: Error, Sendable, Equatable, CustomStringConvertible {
    case unknownHost(String, reason: String)
    case addressInUse(String, UInt16)
    /// The path of the socket, where a file of another kind exists.
    case notASocket(String)
    case socketInUse(String)
    /// The call that failed, and its `errno`.
    case system(String, Int32)

    public var description: String {
        switch self {
        case .unknownHost(let host, let reason): "cannot listen on \(host): \(reason)"
        case .addressInUse(let host, let port):
            "cannot listen on \(host):\(port): another process does; choose another port"
        case .notASocket(let path):
            "cannot listen on \(path): something is there that is not a socket; choose another path"
        case .socketInUse(let path):
            "cannot listen on \(path): another process does; choose another path"
        case .system(let call, let error): "\(call): \(String(cString: strerror(error)))"
        }
    }
}
