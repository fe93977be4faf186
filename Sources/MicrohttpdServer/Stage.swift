import Synchronization

/// What a connection is at, and until when: one word, so that its worker and the reaper agree on it
/// without a lock.
struct Stage: RawRepresentable, AtomicRepresentable, Sendable, Equatable {
    enum Phase: UInt64 {
        /// Between an answer and the next request; `quiet` as soon as the client is known to be there.
        case idle, quiet
        case head, body
        /// The request has come whole, the answer is not there yet.
        case answering
        case sending
        /// Its time was over. It stays so.
        case cut
    }

    let rawValue: UInt64

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// - Parameter end: by the clock of the configuration.
    init(_ phase: Phase, until end: UInt64) {
        rawValue = end << 3 | phase.rawValue
    }

    static let cut = Stage(.cut, until: never)
    static let never = UInt64.max >> 3

    var phase: Phase { Phase(rawValue: rawValue & 7) ?? .cut }
    var end: UInt64 { rawValue >> 3 }
}
