import Synchronization
import WaypostCore

@testable import Sessions

/// A store with five failures of each key, whose claims fail until a test clears `claimFailure`.
final class FailureStore: LogInFailureStore {
    let claimFailure = Mutex<StorageError?>(StorageError(reason: "the disk is full"))
    private let failures: LogInFailures

    init(lastFailure: Timestamp) {
        failures = LogInFailures(count: 5, lastFailure: lastFailure)
    }

    func logInFailures(of keys: [SecretHash]) -> [SecretHash: LogInFailures] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0, failures) })
    }

    func claimLogIn(
        of keys: [SecretHash], at now: Timestamp, for interval: Duration
    ) throws(SessionError) -> Bool {
        if let error = claimFailure.withLock({ $0 }) { throw .storage(error) }
        return true
    }

    func noteLogInFailure(of keys: [SecretHash], at now: Timestamp, memory: Duration) {}
    func forgetLogInFailures(of key: SecretHash) {}
    func releaseLogIn(of keys: [SecretHash]) {}
}
