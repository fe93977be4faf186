import WaypostCore

/// The log-in failures of a username or a client.
public struct LogInFailures: Sendable, Equatable {
    public let count: Int
    public let lastFailure: Timestamp

    public init(count: Int, lastFailure: Timestamp) {
        self.count = count
        self.lastFailure = lastFailure
    }
}

/// Counts log-in failures for all processes that use a store. Each key is the hash of a username or
/// of a client.
public protocol LogInFailureStore: Sendable {
    func logInFailures(
        of keys: [SecretHash]
    ) async throws(StorageError) -> [SecretHash: LogInFailures]

    /// Counts a failure for each key. A count starts again if its last failure lies at least `memory`
    /// back.
    func noteLogInFailure(
        of keys: [SecretHash], at now: Timestamp, memory: Duration
    ) async throws(StorageError)

    func forgetLogInFailures(of key: SecretHash) async throws(StorageError)

    /// Claims the next attempt for the calling process: until the claim ends, no other attempt with
    /// one of these keys can be claimed.
    /// - Parameter interval: the time after which the claim ends, unless it is released earlier.
    /// - Returns: true if the attempt was claimed for all keys; false if an earlier claim is still
    ///   valid.
    func claimLogIn(
        of keys: [SecretHash], at now: Timestamp, for interval: Duration
    ) async throws(StorageError) -> Bool

    /// Releases the claim of an attempt, so that the next attempt can be claimed. `noteLogInFailure`
    /// releases it, too.
    func releaseLogIn(of keys: [SecretHash]) async throws(StorageError)
}

// Limits log-ins by the failures that all processes have counted.
extension LogInRateLimiter {
    /// Begins an attempt; the caller ends it with `end(_:_:in:)`.
    /// - Parameter store: the store that counts the failures of all processes; nil if only this process
    ///   counts them.
    /// - Throws: `.throttled`, `.storage`
    func begin(
        _ username: String, from client: String?, in store: (any LogInFailureStore)?
    ) async throws(AccountError) -> Guess {
        if let store {
            let keys = keys(username, client)
            do { adopt(try await store.logInFailures(of: keys), for: keys) } catch {
                throw .storage(error)
            }
        }
        var guess: Guess
        do { guess = try begin(username, from: client) } catch { throw .throttled(error) }
        guard let store, let limited = limits(of: guess) else { return guess }
        do {
            let now = environment.now()
            if try await store.claimLogIn(of: limited.keys, at: now, for: .seconds(1)) {
                guess.claimed = limited.keys
                return guess
            }
        } catch {
            end(guess, .unknown)
            throw .storage(error)
        }
        end(guess, .unknown)
        throw .throttled(limited.refusal)
    }

    /// Ends an attempt. If the store cannot be used, only this process counts the failure.
    func end(_ guess: Guess, _ result: Result, in store: (any LogInFailureStore)?) async {
        end(guess, result)
        guard let store else { return }
        switch result {
        case .wrong:
            try? await store.noteLogInFailure(
                of: guess.keys, at: environment.now(), memory: Self.memory)
        case .right, .unknown:
            if !guess.claimed.isEmpty { try? await store.releaseLogIn(of: guess.claimed) }
        }
        if result == .right { try? await store.forgetLogInFailures(of: guess.keys[0]) }
    }
}
