import Accounts

/// Names a session; not a secret. 32 lower-case hexadecimal digits.
public struct SessionID: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    static func make(_ environment: Environment) -> SessionID {
        SessionID(high: environment.random(), low: environment.random())
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Returns: nil if no session could be named so.
    public init?(_ text: String) {
        guard text.utf8.count == 32 else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        for byte in text.utf8 {
            guard isHexadecimalDigit(byte) else { return nil }
            // Of `0` to `9` the lowest four bits are the value, of `a` to `f` one to six.
            let digit = byte < UInt8(ascii: "a") ? byte & 15 : (byte & 15) + 9
            halves.high = halves.high << 4 | halves.low >> 60
            halves.low = halves.low << 4 | UInt64(digit)
        }
        self.init(high: halves.high, low: halves.low)
    }

    /// 16 bytes, in the order of the digits.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in
            (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) }
        }
    }

    public var description: String {
        String(unsafeUninitializedCapacity: 32) { digits in
            for place in 0..<2 {
                let half = place == 0 ? high : low
                for index in 0..<16 {
                    let digit = UInt8(truncatingIfNeeded: half >> (60 - 4 * index)) & 15
                    digits[16 * place + index] =
                        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                }
            }
            return 32
        }
    }
}
