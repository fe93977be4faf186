import Synchronization

/// Names requests, for the log and for `X-Request-ID`. Not secrets, and not to be guessed by
/// accident either.
public final class RequestIDs: Sendable {
    public static let field = "X-Request-ID"

    /// Crockford's base 32: none of them is taken for another.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    private let seed: UInt64
    private let count = Atomic<UInt64>(0)

    /// - Parameter seed: by chance, so that two processes do not use the same names.
    public init(seed: UInt64) {
        self.seed = seed
    }

    /// The client's own name for the request, if it is fit for a log; else a new one.
    public func id(of headers: HeaderFields) -> String {
        guard let name = headers.singleValue(of: Self.field), (1...128).contains(name.utf8.count),
            name.utf8.allSatisfy(Self.isFit)
        else { return next() }
        return name
    }

    /// SplitMix64: the first 2^64 are different ones. 13 characters: a string of up to 15 needs no
    /// allocation.
    func next() -> String {
        let step: UInt64 = 0x9E37_79B9_7F4A_7C15
        var bits = seed &+ count.wrappingAdd(1, ordering: .relaxed).newValue &* step
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return String(unsafeUninitializedCapacity: 13) { buffer in
            for index in 0..<13 {
                buffer[index] = Self.digits[Int(truncatingIfNeeded: bits >> (5 * index)) & 31]
            }
            return 13
        }
    }

    /// Tokens, and what else is in the ids that proxies and clouds make.
    private static func isFit(_ byte: UInt8) -> Bool {
        isTokenByte(byte) || "/:=@".utf8.contains(byte)
    }
}
