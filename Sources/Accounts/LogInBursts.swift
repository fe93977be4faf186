/// Finds bursts of refused log-ins, so that the service's log gets two lines for each burst and not
/// one for each log-in. The caller notes the number of refused log-ins at regular intervals.
public struct LogInBursts: Sendable {
    /// The beginning or end of a burst, for the log.
    public enum Change: Sendable, Equatable {
        /// A burst has begun, with this number of refused log-ins in its first interval.
        case began(refused: Int)
        /// A burst is over, with this number of refused log-ins.
        case ended(refused: Int)
    }

    /// The minimum number of refused log-ins in one interval that begins a burst.
    static let threshold = 10

    /// The total number of refused log-ins at the end of the last interval.
    private var last = 0
    /// The number of refused log-ins in the current burst; nil outside of a burst.
    private var burst: Int?

    public init() {}

    /// Notes the end of an interval.
    /// - Parameter total: the number of log-ins that were refused since the process started.
    /// - Returns: the beginning or end of a burst; nil if the interval has neither. An interval
    ///   without refused log-ins ends a burst.
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

    /// Ends the burst, if there is one.
    public mutating func end() -> Change? {
        defer { burst = nil }
        return burst.map { .ended(refused: $0) }
    }
}
