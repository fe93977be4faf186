import Glibc

/// The reason why a process cannot listen on an address.
package enum ListenError: Error, Sendable, Equatable, CustomStringConvertible {
    case unknownHost(String, reason: String)
    case addressInUse(String, UInt16)
    /// A file that is not a socket exists at this path.
    case notASocket(String)
    case socketInUse(String)
    /// A system call failed. The values are the start of the error message, such as the name of the
    /// call, and the `errno`.
    case system(String, Int32)

    package var description: String {
        switch self {
        case .unknownHost(let host, let reason): "cannot listen on \(host): \(reason)"
        case .addressInUse(let host, let port):
            "cannot listen on \(host):\(port): another process uses this port; choose another port"
        case .notASocket(let path):
            "cannot listen on \(path): the existing file is not a socket; choose another path"
        case .socketInUse(let path):
            "cannot listen on \(path): another process uses this socket; choose another path"
        case .system(let call, ENAMETOOLONG):
            "\(call): a socket's path has at most 107 bytes; choose a shorter one with --admin-socket"
        case .system(let call, let error): "\(call): \(String(cString: strerror(error)))"
        }
    }
}
