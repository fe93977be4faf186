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
        guard text.utf8.count == 32, text.utf8.allSatisfy(isHexadecimalDigit),
            let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// 16 bytes, in the order of the digits.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in
            (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) }
        }
    }

    public var description: String { hexadecimal(high) + hexadecimal(low) }
}
