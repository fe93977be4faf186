import Accounts
import Navigation

/// Opens, finds and ends sessions. For each session there is one actor at most.
public final class SessionDirectory: Sendable {
    private let service: SessionService
    private let residents: SessionParts<ResidentSessions>
    /// Requests to open a session that bear one `Idempotency-Key` come one after another.
    private let opening = KeyedTurns<SecretHash>()
    /// Each session is read by one request at a time. Were it read by two, the first could change
    /// it and let it be forgotten before the other made an actor of what it had read.
    private let loading = KeyedTurns<SessionID>()

    /// - Parameter residentLimit: about how many sessions stay in memory when nobody uses them.
    public init(_ service: SessionService, residentLimit: Int = 200_000) {
        self.service = service
        // A few need no parts.
        let count = residentLimit < 1024 ? 1 : 32
        residents = SessionParts(count, of: ResidentSessions(limit: residentLimit / count))
    }

    /// Whose sessions these are.
    public var app: App { service.app }

    /// How many sessions are in memory.
    public var residentCount: Int { residents.map { $0.count }.reduce(0, +) }

    private func resident(_ id: SessionID) -> Session? {
        residents.withPart(of: id) { $0.session(id) }
    }

    private func insert(_ session: Session) {
        residents.withPart(of: session.id) { $0.insert(session) }
    }

    /// A session that was just opened, and its token, which is kept nowhere else.
    public struct Opened: Sendable {
        public let session: SessionRecord
        public let token: Secret
    }

    /// Opens a session: at the app root if the credential is good or the app has no login.
    /// - Parameter credential: as the client sent it. One that is no good is not an error: the
    ///   session opens at the login root and says why.
    public func open(
        credential: String? = nil, lifecycle: LifecycleOrder = .forwarded,
        attempt: Attempt<Opened>? = nil
    ) async throws(SessionError) -> Answered<Opened> {
        guard let attempt else {
            return .now(try await open(credential, lifecycle, nil))
        }
        await opening.take(attempt.id)
        defer { opening.end(attempt.id) }
        if let answer = try await service.answer(to: attempt) { return .before(answer) }
        return .now(try await open(credential, lifecycle, attempt))
    }

    private func open(
        _ text: String?, _ lifecycle: LifecycleOrder, _ attempt: Attempt<Opened>?
    ) async throws(SessionError) -> Opened {
        var credential: Credential?
        var refusal: CredentialRefusal?
        // Before the credential is looked up: what is revoked from here on is seen later.
        let position = service.revocations.position
        if let text, service.app.storyboard.loginScene != nil {
            do {
                switch try await service.accounts.credential(text) {
                case .success(let found): credential = found
                case .failure(let reason): refusal = reason
                }
            } catch {
                throw .storage(error)
            }
        }
        let (window, events) = Window.launch(
            service.app, lifecycle: lifecycle, username: credential?.username.text)
        let now = service.environment.now()
        let token = Secret.make(for: .session, service.environment)
        let opened = Opened(
            session: SessionRecord(
                id: SessionID.make(service.environment), tokenHash: token.hash, createdAt: now,
                expiresAt: now + service.sessionTTL, window: window,
                credential: credential?.hash, credentialRefusal: refusal),
            token: token)
        var commit = Commit(session: .insert(opened.session.stored))
        commit.events = events
        commit.credentialUse = credential.map { Commit.CredentialUse(hash: $0.hash, time: now) }
        commit.idempotencyRecord = attempt?.record(
            of: opened, endingWith: opened.session.id, service)
        do { try await service.store.commit(commit) } catch { throw SessionError(error) }
        let standing = credential.map { Standing($0, at: position) } ?? .unknown
        let session = Session(opened.session, standing: standing, service: service)
        insert(session)
        return opened
    }

    /// A session that is in memory.
    /// - Returns: nil if `session` has to look, whether or not there is something.
    public func residentSession(_ id: SessionID, token: SecretHash) -> Session? {
        guard let session = resident(id), session.tokenHash == token else { return nil }
        return session
    }

    /// - Returns: nil if there is no such session, or if the token is another session's: nobody
    ///   learns which.
    public func session(
        _ id: SessionID, token: SecretHash
    ) async throws(SessionError) -> Session? {
        guard let session = try await session(id), session.tokenHash == token else {
            return nil
        }
        return session
    }

    private func session(_ id: SessionID) async throws(SessionError) -> Session? {
        if let session = resident(id) { return session }
        await loading.take(id)
        defer { loading.end(id) }
        // Another request may have loaded it in the meantime.
        if let session = resident(id) { return session }
        let stored: StoredSession?
        do { stored = try await service.store.session(id) } catch { throw .storage(error) }
        guard let stored else { return nil }
        let session = Session(try await restore(stored), service: service)
        insert(session)
        return session
    }

    /// The session as the present app shows it. Where that is a fresh root, as the storyboard has not
    /// all that the session had, this is a change like any other: it is stored before anybody sees it.
    private func restore(_ stored: StoredSession) async throws(SessionError) -> SessionRecord {
        let (window, events) = Window.restore(stored.window, in: service.app)
        let record = SessionRecord(stored, window)
        let now = service.environment.now()
        guard let events, now < stored.expiresAt else { return record }
        let changed = record.with(
            window, expiresAt: max(stored.expiresAt, now + service.sessionTTL))
        var commit = Commit(session: .update(changed.stored))
        commit.events = events
        do { try await service.store.commit(commit) } catch { throw SessionError(error) }
        return changed
    }

    public func end(
        _ session: Session, if precondition: Precondition? = nil, attempt: Attempt<Void>? = nil
    ) async throws(SessionError) -> Answered<Void> {
        let answered = try await session.end(if: precondition, attempt: attempt)
        residents.withPart(of: session.id) { $0.remove(session.id) }
        return answered
    }

    /// The answer to a request that came before, to a session that may be gone since.
    public func answer<Result>(
        to attempt: Attempt<Result>
    ) async throws(SessionError) -> [UInt8]? {
        try await service.answer(to: attempt)
    }
}
