import NavigationRules
import WaypostCore

extension SessionDirectory {
    /// Opens a new session as a copy of another session, with the same view controllers and user.
    /// The new session's revisions and events are numbered from 1.
    ///
    /// If the session is logged in, the new session depends on the same credential as the token in
    /// the request: for the first token, the credential of the session's log-in; for a token for
    /// another device, the credential with which this token was made. The revocation of a device's
    /// credential thus also logs out the forks that the device has made.
    /// - Parameters:
    ///   - origin: the session to copy.
    ///   - name: the name of the fork; nil for none. A fork does not get the name of its origin.
    ///   - token: the hash of the token in the request; nil for the session's first token.
    ///   - revision: the revision of `origin` to copy; nil for the present one.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    ///   - admit: counts the fork towards the client's quota: first, with nil, as a session, and
    ///     then as the copy of a state. It is not called if the request is a repetition.
    /// - Throws: `.throttled` if `admit` throws; the errors of `SessionHistory.state(at:)`;
    ///   `.credentialRefused` also if the credential is revoked during the call, or if the token was
    ///   made for another user than the one who was logged in at `revision`; `.ended` if the token
    ///   is revoked during the call; `.idempotencyKeyReused`.
    public func fork(
        _ origin: Session, named name: String? = nil, with token: SecretHash? = nil,
        at revision: Int?,
        idempotency: IdempotentRequest<Opened>? = nil,
        admit: (SessionState?) throws(RateLimitExceeded) -> Void = { _ in }
    ) async throws(SessionError) -> IdempotentResult<Opened> {
        try await dependencies.carryOut(idempotency) { () async throws(SessionError) in
            // The position is read before the credential, so that the new session later notices a
            // revocation in between.
            let position = dependencies.revocations.position
            // Before a state is read, because the read of an earlier one takes much time.
            do throws(RateLimitExceeded) { try admit(nil) } catch {
                throw .throttled(error)
            }
            let state: SessionState
            if let revision {
                state = try await origin.history.state(at: revision)
            } else {
                state = try await withCompletion(origin.read)
            }
            do throws(RateLimitExceeded) { try admit(state) } catch {
                throw .throttled(error)
            }
            do throws(SessionError) {
                return try await open(
                    state.window.forked(), [], name: name,
                    credential: try await credential(for: state, of: origin, with: token),
                    refusal: state.credentialRefusal, at: position, idempotency)
            } catch {
                guard error == .accountChanged else { throw error }
                throw .credentialRefused(.revoked)
            }
        }
    }

    /// Returns the credential that a fork is logged in with.
    /// - Returns: nil if nobody was logged in at the copied state.
    private func credential(
        for state: SessionState, of origin: Session, with token: SecretHash?
    ) async throws(SessionError) -> Credential? {
        guard var hash = state.credential else { return nil }
        if let token, !origin.isFirstToken(token) {
            guard let found = try await deviceToken(token, of: origin) else { throw .ended }
            hash = found.credential
        }
        let found = try await dependencies.accounts.credential(hash)
        let credential: Credential
        do { credential = try found.get() } catch { throw .credentialRefused(error) }
        guard credential.username == state.username else { throw .credentialRefused(.unknown) }
        return credential
    }
}
