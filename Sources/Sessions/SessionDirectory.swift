import Accounts
import Navigation
import Synchronization

/// Opens, finds and ends sessions. For each session there is one actor at most.
public final class SessionDirectory: Sendable {
    private let service: SessionService
    private let resident = Mutex<[SessionID: Session]>([:])

    public init(_ service: SessionService) {
        self.service = service
    }

    /// Opens a session: at the app root if the credential is good or the app has no login.
    /// - Parameter credential: as the client sent it. One that is no good is not an error: the
    ///   session opens at the login root and says why.
    /// - Returns: the session, and its token, which is kept nowhere else.
    public func open(
        credential text: String? = nil, lifecycle: LifecycleOrder = .forwarded
    ) async throws(SessionError) -> (session: SessionRecord, token: Secret) {
        var credential: Credential?
        var refusal: CredentialRefusal?
        if let text, service.app.storyboard.loginScene != nil {
            do throws(CredentialRefusal) {
                credential = try service.accounts.credential(text)
            } catch {
                refusal = error
            }
        }
        let (window, events) = Window.launch(
            service.app, lifecycle: lifecycle, username: credential?.username.text)
        let token = Secret.make(for: .session, service.environment)
        let now = service.environment.now()
        let record = SessionRecord(
            id: SessionID.make(service.environment), tokenHash: token.hash, createdAt: now,
            expiresAt: now + service.sessionTTL, window: window, credential: credential?.hash,
            credentialRefusal: refusal)
        do {
            try await service.store.insert(record, events: events)
        } catch {
            throw .storage(error)
        }
        resident.withLock { $0[record.id] = Session(record, service: service) }
        return (record, token)
    }

    /// - Returns: nil if there is no such session, or if the token is another session's: nobody
    ///   learns which.
    public func session(
        _ id: SessionID, token: Secret
    ) async throws(SessionError) -> Session? {
        guard let session = try await session(id), session.tokenHash == token.hash else {
            return nil
        }
        return session
    }

    private func session(_ id: SessionID) async throws(SessionError) -> Session? {
        if let session = resident.withLock({ $0[id] }) { return session }
        let stored: SessionRecord?
        do { stored = try await service.store.record(id) } catch { throw .storage(error) }
        guard let stored else { return nil }
        return resident.withLock { resident in
            // Another request may have loaded it in the meantime: the first actor stays.
            if let session = resident[id] { return session }
            let session = Session(stored, service: service)
            resident[id] = session
            return session
        }
    }

    public func end(
        _ session: Session, if precondition: Precondition? = nil
    ) async throws(SessionError) {
        try await session.end(if: precondition)
        _ = resident.withLock { $0.removeValue(forKey: session.id) }
    }
}
