import Glibc

/// The system's limit on the number of file descriptors that this process may open, and the
/// division of these descriptors among connections and change streams.
enum DescriptorLimit {
    /// The number of descriptors that are reserved for the store, the threads and the catalog.
    private static let own = 128
    /// The minimum number of connections with which the service starts.
    static let fewestConnections = 16

    /// Raises the limit of this process to the highest value that the system allows (the hard
    /// limit).
    /// - Returns: the limit after this call; 128 if the limit cannot be read.
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

    /// The maximum numbers of connections and of change streams, which share the descriptors. A
    /// connection that a stream has taken over counts as a stream only.
    struct Share: Equatable {
        var connections: Int
        var streams: Int

        /// The number of descriptors that the whole service needs. A connection needs a second
        /// descriptor while it sends a file.
        var descriptors: Int { 2 * connections + streams + own }

        /// Returns these numbers if `descriptors` descriptors are enough for them, and lower
        /// numbers otherwise. In the lower numbers, the streams get more than half of the
        /// descriptors that are not reserved only if the connections need less than half.
        func limited(to descriptors: Int) -> Share {
            let available = max(descriptors - own, 2)
            let left = (available - min(streams, available / 2)) / 2
            var share = self
            share.connections = min(connections, available / 2, max(fewestConnections, left))
            share.streams = min(streams, available - 2 * share.connections)
            return share
        }
    }
}
