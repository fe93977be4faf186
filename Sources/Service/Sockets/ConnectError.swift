import Foundation

/// The reason why a client cannot connect to a Unix domain socket on which a service may listen.
package struct ConnectError: Error, Equatable, CustomStringConvertible {
    /// The `errno` of the system call that failed.
    package let code: Int32

    /// The system's text for the code, such as "Permission denied".
    package var description: String { String(cString: strerror(code)) }

    /// Whether the user of this process may not use the socket, or a folder on the way to it.
    package var isPermissionDenied: Bool { code == EACCES || code == EPERM }
}
