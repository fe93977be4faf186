import Synchronization

/// A generator of request ids, for the log and for `X-Request-ID`. The ids are not secret. Any
/// number of threads may use one generator.
public final class RequestIDs: Sendable {
    public static let field = "X-Request-ID"

    /// Crockford's base 32 alphabet in lower case. It has no two characters that look alike.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    private let seed: UInt64
    private let count = Atomic<UInt64>(0)

    /// - Parameter seed: a random number, so that two processes do not generate the same ids.
    public init(seed: UInt64) {
        self.seed = seed
    }

    /// Returns the id that the client sent, or a new one, see `ownID`.
    public func id(of headers: HeaderFields) -> String { Self.ownID(of: headers) ?? next() }

    /// Returns the id that the client sent in `X-Request-ID`. Returns nil if the field is absent or
    /// occurs several times, or if the id is not safe to log. A safe id has 1 to 128 bytes, each of
    /// which is valid in a token or is one of `/:=@`, which occur in the ids of proxies and cloud
    /// providers.
    public static func ownID(of headers: HeaderFields) -> String? {
        guard let name = headers.singleValue(of: field), (1...128).contains(name.utf8.count),
            name.utf8.allSatisfy({ $0.isToken || "/:=@".utf8.contains($0) })
        else { return nil }
        return name
    }

    /// Returns a new id of 13 characters: a random number in base 32. Swift stores a string of up to
    /// 15 bytes without an allocation.
    func next() -> String {
        let bits = splitMix64(count.wrappingAdd(1, ordering: .relaxed).newValue, seed: seed)
        return String(unsafeUninitializedCapacity: 13) { buffer in
            for index in 0..<13 {
                buffer[index] = Self.digits[Int(truncatingIfNeeded: bits >> (5 * index)) & 31]
            }
            return 13
        }
    }

}

/// Returns a number of the random number generator SplitMix64. The numbers repeat only after 2^64
/// indexes, and look random even for consecutive ones. They are not secret.
public func splitMix64(_ index: UInt64, seed: UInt64) -> UInt64 {
    var bits = seed &+ index &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
}
