import Glibc

/// The number of file descriptors that the process may open, connections included.
enum DescriptorLimit {
    /// The number of descriptors for the store, the threads and the catalog.
    private static let own = 128
    /// The minimum number of connections with which the service starts.
    static let fewestConnections = 16

    /// Raises the limit to the maximum for the current user.
    /// - Returns: the new limit.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return own
        }
        let present = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_max : present)
    }

    /// Returns the number of descriptors for a number of connections. Each connection needs a
    /// second descriptor while it sends a file.
    static func descriptors(for connections: Int) -> Int {
        2 * connections + own
    }

    /// Returns the number of connections for a number of descriptors; at least 1.
    /// - Parameter descriptors: at least the number that one connection needs.
    static func connections(within descriptors: Int) -> Int {
        max(1, (descriptors - own) / 2)
    }
}
