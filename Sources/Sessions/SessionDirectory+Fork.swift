import Accounts
import Navigation
import WaypostCore

extension SessionDirectory {
    /// Opens a new session as a copy of another session, with the same view controllers, user and
    /// credential. The new session's revisions and events are numbered from 1.
    /// - Parameters:
    ///   - origin: the session to copy.
    ///   - revision: the revision of `origin` to copy; nil for the present one.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    ///   - admit: counts the copy of a state towards the client's quota.
    /// - Throws: `.account(.throttled)` if `admit` throws; the errors of `Session.snapshot(at:)`; `.credentialRefused` also if the credential
    ///   is revoked during the call; `.idempotencyKeyReused`.
    public func fork(
        _ origin: Session, at revision: Int?, idempotency: IdempotentRequest<Opened>? = nil,
        admit: (SessionSnapshot) throws(RateLimitExceeded) -> Void = { _ in }
    ) async throws(SessionError) -> Answered<Opened> {
        try await dependencies.once(idempotency) { () async throws(SessionError) in
            // The position is read before the credential, so that the new session later notices a
            // revocation in between.
            let position = dependencies.revocations.position
            let state: SessionSnapshot
            if let revision {
                state = try await origin.snapshot(at: revision)
            } else {
                state = try await origin.current()
            }
            do throws(RateLimitExceeded) { try admit(state) } catch {
                throw .account(.throttled(error))
            }
            do throws(SessionError) {
                return try await open(
                    state.window.forked(), [], credential: try await credential(of: state),
                    at: position, idempotency)
            } catch {
                guard error == .account(.accountChanged) else { throw error }
                throw .credentialRefused(.revoked)
            }
        }
    }

    private func credential(
        of state: SessionSnapshot
    ) async throws(SessionError) -> Credential? {
        guard let hash = state.credential, app.storyboard.loginScene != nil else { return nil }
        let found: Result<Credential, CredentialRefusal>
        do { found = try await dependencies.accounts.credential(hash) } catch {
            throw .storage(error)
        }
        do { return try found.get() } catch { throw .credentialRefused(error) }
    }
}
