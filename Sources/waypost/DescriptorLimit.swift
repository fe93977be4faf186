import Glibc

/// How many files the process may have open, connections among them.
enum DescriptorLimit {
    /// For the store, the threads, the catalog.
    private static let own = 128
    /// The fewest connections that the service starts with.
    static let fewestConnections = 16

    /// Raises the limit as far as this user may.
    /// - Returns: the limit.
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

    /// A connection needs a second one while a file is sent over it.
    static func descriptors(for connections: Int) -> Int {
        2 * connections + own
    }

    /// - Parameter descriptors: as many at least as one connection needs.
    static func connections(within descriptors: Int) -> Int {
        max(1, (descriptors - own) / 2)
    }
}
