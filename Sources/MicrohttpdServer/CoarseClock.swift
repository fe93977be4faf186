import Glibc

/// Milliseconds since some start, a few behind: read several times for each request, it must be
/// cheaper than it is exact.
enum CoarseClock {
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Rounded down.
    var milliseconds: UInt64 {
        UInt64(max(0, components.seconds)) * 1000
            + UInt64(max(0, components.attoseconds)) / 1_000_000_000_000_000
    }
}
