/// Finds bursts of refused log-ins, which are possible attacks. The service's log then gets two
/// lines for each burst instead of one line for each refused log-in. The caller reports the number
/// of refused log-ins at regular intervals.
public struct LogInBursts: Sendable {
    /// The beginning or end of a burst, for the log.
    public enum Change: Sendable, Equatable {
        /// A burst has begun. The value is the number of refused log-ins in its first interval.
        case began(refused: Int)
        /// A burst has ended. The value is the number of refused log-ins in the whole burst.
        case ended(refused: Int)
    }

    /// The minimum number of refused log-ins in one interval for a burst to begin.
    static let threshold = 10

    /// The total number of refused log-ins at the end of the last interval.
    private var last = 0
    /// The number of refused log-ins in the current burst; nil if there is no burst at present.
    private var burst: Int?

    public init() {}

    /// Records the end of an interval. A burst begins with an interval that has at least
    /// `threshold` refused log-ins. It ends with an interval that has none.
    /// - Parameter total: the number of log-ins that were refused since the process started.
    /// - Returns: the beginning or the end of a burst; nil if there is neither.
    public mutating func note(total: Int) -> Change? {
        let refused = total - last
        last = total
        guard let burst else {
            guard refused >= Self.threshold else { return nil }
            burst = refused
            return .began(refused: refused)
        }
        guard refused == 0 else {
            self.burst = burst + refused
            return nil
        }
        return end()
    }

    /// Ends the current burst.
    /// - Returns: the end of the burst; nil if there is no burst at present.
    public mutating func end() -> Change? {
        defer { burst = nil }
        return burst.map { .ended(refused: $0) }
    }
}
