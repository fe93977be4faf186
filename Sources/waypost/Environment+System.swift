import Accounts
import Foundation

extension Environment {
    /// The system's clock, and its random numbers.
    static let system = Environment(
        now: { Timestamp(clock: Date().timeIntervalSince1970) },
        random: {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        })
}
