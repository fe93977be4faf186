import Accounts
import Foundation

extension Environment {
    /// The system's clock, and its random numbers.
    static let system = Environment(
        now: { Timestamp(milliseconds: Int(Date().timeIntervalSince1970 * 1000)) },
        random: {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        })
}
