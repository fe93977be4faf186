import Accounts
import Navigation
import WaypostCore

/// Opens, finds and ends sessions. For each session there is one actor at most.
public final class SessionDirectory: Sendable {
    private let dependencies: SessionDependencies
    private let cache: Sharded<SessionCache>
    /// Held while a session is read from the store. Otherwise a slow reader could install a stale copy
    /// after the session was changed and evicted.
    private let loading = KeyedLock<SessionID>()

    /// - Parameter cacheCapacity: about how many sessions stay in memory when nobody uses them.
    public init(_ dependencies: SessionDependencies, cacheCapacity: Int = 200_000) {
        self.dependencies = dependencies
        // A few sessions need no shards.
        let count = cacheCapacity < 1024 ? 1 : 32
        cache = Sharded(count, of: SessionCache(limit: cacheCapacity / count))
    }

    /// The app that the sessions run.
    public var app: App { dependencies.app }

    /// How many sessions are in memory.
    public var cachedCount: Int { cache.map { $0.count }.reduce(0, +) }

    private func insert(_ session: Session) {
        cache.withShard(for: session.id) { $0.insert(session) }
    }

    /// A session that was just opened, and its token, which is kept nowhere else.
    public struct Opened: Sendable {
        public let session: SessionSnapshot
        public let token: Secret
    }

    /// Opens a session: at the app root if the credential is good or the app has no login.
    /// - Parameter credential: as the client sent it. One that is no good is not an error: the
    ///   session opens at the login root and says why.
    public func open(
        credential: String? = nil, lifecycle: LifecycleOrder = .forwarded,
        idempotency: IdempotentRequest<Opened>? = nil
    ) async throws(SessionError) -> Answered<Opened> {
        try await dependencies.once(idempotency) { () async throws(SessionError) in
            try await open(credential, lifecycle, idempotency)
        }
    }

    private func open(
        _ text: String?, _ lifecycle: LifecycleOrder, _ idempotency: IdempotentRequest<Opened>?
    ) async throws(SessionError) -> Opened {
        var credential: Credential?
        var refusal: CredentialRefusal?
        // Read before the credential is looked up: what is revoked from here on is seen later.
        let position = dependencies.revocations.position
        if let text, dependencies.app.storyboard.loginScene != nil {
            do {
                switch try await dependencies.accounts.credential(text) {
                case .success(let found): credential = found
                case .failure(let reason): refusal = reason
                }
            } catch {
                throw .storage(error)
            }
        }
        let (window, events) = Window.launch(
            dependencies.app, lifecycle: lifecycle, username: credential?.username.text)
        let now = dependencies.environment.now()
        let token = Secret.make(for: .session, dependencies.environment)
        let snapshot = SessionSnapshot(
            id: SessionID.make(dependencies.environment), tokenHash: token.hash, createdAt: now,
            expiresAt: now + dependencies.sessionTTL, window: window,
            credential: credential?.hash, credentialRefusal: refusal)
        let opened = Opened(session: snapshot, token: token)
        var batch = WriteBatch(session: .insert(.snapshot(snapshot)), events: events)
        if let credential {
            var writes = WriteBatch.AccountWrites()
            writes.credentialUse = WriteBatch.CredentialUse(hash: credential.hash, time: now)
            batch.accountWrites = writes
        }
        if let idempotency {
            batch.idempotencyRecords = [
                idempotency.record(of: opened, endingWith: snapshot.id, dependencies)
            ]
        }
        do { try await dependencies.store.commit(batch) } catch { throw SessionError(error) }
        let status = credential.map { CredentialStatus($0, at: position) } ?? .unknown
        insert(Session(snapshot, credentialStatus: status, dependencies: dependencies))
        return opened
    }

    /// Returns a session that is in memory.
    /// - Returns: nil if `session` has to look, whether or not there is such a session.
    public func cachedSession(_ id: SessionID, token: SecretHash) -> Session? {
        guard let session = cachedSession(id), session.tokenHash == token else { return nil }
        return session
    }

    private func cachedSession(_ id: SessionID) -> Session? {
        cache.withShard(for: id) { $0.session(id) }
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
        if let session = cachedSession(id) { return session }
        return try await loading.withLock(id) { () async throws(SessionError) -> Session? in
            // Another request may have loaded it in the meantime.
            if let session = cachedSession(id) { return session }
            guard let (snapshot, version) = try await dependencies.load(id) else { return nil }
            let session = Session(snapshot, version: version, dependencies: dependencies)
            insert(session)
            return session
        }
    }

    public func end(
        _ session: Session, if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil
    ) async throws(SessionError) -> Answered<ChangeResult> {
        let answered = try await session.perform(
            ChangeRequest(.end, if: precondition, idempotency: idempotency))
        cache.withShard(for: session.id) { $0.remove(session.id) }
        return answered
    }

    /// The response to a request that came before, to a session that may be gone since.
    public func response<Output>(
        to request: IdempotentRequest<Output>
    ) async throws(SessionError) -> [UInt8]? {
        try await dependencies.response(to: request)
    }
}
