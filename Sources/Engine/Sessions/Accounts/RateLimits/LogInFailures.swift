import WaypostCore

/// The number of failed log-ins of a username or a client, and the time of the last one.
public struct LogInFailures: Sendable, Equatable {
    public let count: Int
    public let lastFailure: Timestamp

    public init(count: Int, lastFailure: Timestamp) {
        self.count = count
        self.lastFailure = lastFailure
    }
}

/// Counts failed log-ins for all processes that use a store. Each key is the hash of a username or
/// the hash of a client's address.
public protocol LogInFailureStore: Sendable {
    func logInFailures(
        of keys: [SecretHash]
    ) async throws(SessionError) -> [SecretHash: LogInFailures]

    /// Counts a failed log-in for each key. If the last failure of a key is `memory` or more in the
    /// past, the count of this key starts at 1 again.
    func noteLogInFailure(
        of keys: [SecretHash], at now: Timestamp, memory: Duration
    ) async throws(SessionError)

    func forgetLogInFailures(of key: SecretHash) async throws(SessionError)

    /// Claims the next log-in attempt for the calling process. Until the claim ends, no process can
    /// claim another attempt with one of these keys.
    /// - Parameter interval: the time after which the claim ends, unless it is released earlier.
    /// - Returns: true if the attempt was claimed for all keys; false if another attempt still has
    ///   a claim on one of them.
    func claimLogIn(
        of keys: [SecretHash], at now: Timestamp, for interval: Duration
    ) async throws(SessionError) -> Bool

    /// Releases the claim on these keys, so that the next attempt can be claimed.
    /// `noteLogInFailure` also releases the claim.
    func releaseLogIn(of keys: [SecretHash]) async throws(SessionError)
}

// Limits log-ins by the failures that all processes with the same store have counted.
extension LogInRateLimiter {
    /// Begins a log-in attempt. The caller must end it with `end(_:_:in:)`.
    /// - Parameter store: the store that counts the failures of all processes; nil if only this
    ///   process counts them.
    /// - Throws: `.throttled` if the rate limit allows no attempt at present; `.storage` if the
    ///   store fails.
    func begin(
        _ username: String, from client: String?, in store: (any LogInFailureStore)?
    ) async throws(SessionError) -> Attempt {
        if let store {
            let keys = keys(username, client)
            adopt(try await store.logInFailures(of: keys), for: keys)
        }
        var attempt: Attempt
        do { attempt = try begin(username, from: client) } catch { throw .throttled(error) }
        guard let store, let limited = limits(of: attempt) else { return attempt }
        do {
            let now = environment.now()
            if try await store.claimLogIn(of: limited.keys, at: now, for: .seconds(1)) {
                attempt.claimed = limited.keys
                return attempt
            }
        } catch {
            end(attempt, .unknown)
            throw error
        }
        end(attempt, .unknown)
        throw .throttled(limited.refusal)
    }

    /// Ends a log-in attempt and counts its result.
    /// - Parameter store: the store that counts the failures of all processes; nil if only this
    ///   process counts them. If the store fails, this process still counts the result, and no
    ///   error is thrown.
    func end(_ attempt: Attempt, _ result: Result, in store: (any LogInFailureStore)?) async {
        end(attempt, result)
        guard let store else { return }
        switch result {
        case .wrong:
            try? await store.noteLogInFailure(
                of: attempt.keys, at: environment.now(), memory: Self.memory)
        case .right, .unknown:
            if !attempt.claimed.isEmpty { try? await store.releaseLogIn(of: attempt.claimed) }
        }
        if result == .right { try? await store.forgetLogInFailures(of: attempt.keys[0]) }
    }
}
