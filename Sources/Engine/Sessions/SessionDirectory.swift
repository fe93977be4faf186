import NavigationRules
import WaypostCore

/// Opens, finds and ends sessions. Any thread may call the methods. A directory has at most one
/// `Session` actor for each session. When the service replaces its app, there is a second directory,
/// with sessions of its own, while the old app still carries out requests.
public final class SessionDirectory: Sendable {
    let dependencies: SessionDependencies
    private let cache: Sharded<SessionCache>
    /// One lock for each session, held while the session is read from the store. Without the lock,
    /// a slow read could add an outdated copy to the cache, after another copy was loaded, changed
    /// and evicted.
    private let loading = KeyedLock<SessionID>()

    /// - Parameter cacheCapacity: the approximate number of small sessions that stay in memory
    ///   while no request uses them. A large session takes the place of several small ones.
    public init(_ dependencies: SessionDependencies, cacheCapacity: Int = 200_000) {
        self.dependencies = dependencies
        // A small cache needs no shards.
        let count = cacheCapacity < 1024 ? 1 : 32
        cache = Sharded(
            count,
            of: SessionCache(
                capacity: cacheCapacity / count, total: cacheCapacity,
                resident: dependencies.resident))
    }

    /// The app that the sessions run.
    public var app: App { dependencies.app }

    /// The number of sessions in memory.
    public var cachedCount: Int { cache.map { $0.count }.reduce(0, +) }

    /// The metrics of sessions, their operations and log-ins.
    public var metrics: [Family] {
        dependencies.metrics.families(expired: dependencies.store.expiredSessions)
            + dependencies.accounts.metrics
    }

    private func insert(_ session: Session) {
        cache.withShard(for: session.id) { $0.insert(session) }
    }

    /// Gives up all requests that read the history, and refuses new ones.
    public func stopHistoryReads() { dependencies.historyQueue.stop() }

    /// Notes that the app that this one has replaced carries out no request any more.
    public func noteEndOfPredecessor() {
        dependencies.noteEndOfPredecessor()
        // A read gives the streams of a session the last changes of the old app.
        for session in cache.map({ $0.sessions }).joined() { session.read { _ in } }
    }

    /// A new session and its token. The service stores only the token's hash.
    public struct Opened: Sendable {
        public let session: SessionState
        public let token: Secret

        public init(session: SessionState, token: Secret) {
            self.session = session
            self.token = token
        }
    }

    /// Opens a session. If the credential is valid or the app has no login, the window shows the
    /// app root. Otherwise the window shows the login root: the root view controller for a user who
    /// is not logged in.
    /// - Parameters:
    ///   - credential: the credential as the client sent it; nil if the client sent none. An
    ///     invalid credential is not an error: the new session's `credentialRefusal` gives the
    ///     reason.
    ///   - name: the name of the session; nil for none.
    ///   - lifecycle: the order of the lifecycle callbacks in the session; nil for the storyboard's.
    ///   - isStrict: whether the session accepts only operations that a user can do; nil if the
    ///     storyboard decides.
    ///   - link: the deep link to open at the start; nil to show the root.
    ///   - flags: the flags whose values differ from the storyboard's.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    ///   - admit: counts the session towards the client's quota. It is not called if the request is
    ///     a repetition.
    /// - Throws: `.navigation` if the link cannot be opened, or if a flag does not exist; `.throttled` if `admit`
    ///   throws. No session is opened then.
    public func open(
        credential: String? = nil, name: String? = nil, lifecycle: LifecycleOrder? = nil,
        isStrict: Bool? = nil, at link: Link? = nil, flags: [String: Bool] = [:],
        idempotency: IdempotentRequest<Opened>? = nil,
        admit: () throws(RateLimitExceeded) -> Void = {}
    ) async throws(SessionError) -> IdempotentResult<Opened> {
        try await dependencies.carryOut(idempotency) { () async throws(SessionError) in
            do throws(RateLimitExceeded) { try admit() } catch {
                throw .throttled(error)
            }
            for _ in 0..<2 {
                do throws(SessionError) {
                    return try await open(
                        credential, name, lifecycle, isStrict: isStrict, at: link, flags,
                        idempotency)
                } catch {
                    // The credential was revoked in the meantime. The second attempt opens the
                    // session at the login root, with the reason in `credentialRefusal`.
                    guard error == .accountChanged else { throw error }
                }
            }
            throw .sessionBusy
        }
    }

    private func open(
        _ text: String?, _ name: String?, _ lifecycle: LifecycleOrder?, isStrict: Bool?,
        at link: Link?, _ flags: [String: Bool], _ idempotency: IdempotentRequest<Opened>?
    ) async throws(SessionError) -> Opened {
        var credential: Credential?
        var refusal: CredentialRefusal?
        // The position is read before the credential, so that the new session later notices a
        // revocation in between.
        let position = dependencies.revocations.position
        if let text, dependencies.app.storyboard.loginScene != nil {
            switch try await dependencies.accounts.credential(text) {
            case .success(let found): credential = found
            case .failure(let reason): refusal = reason
            }
        }
        return try await launch(
            name, lifecycle, isStrict: isStrict, at: link, flags: flags, credential: credential,
            refusal: refusal, at: position, idempotency)
    }

    /// Opens a session that launches the app. The parameters are those of the other methods.
    private func launch(
        _ name: String?, _ lifecycle: LifecycleOrder?, isStrict: Bool?, at link: Link?,
        flags: [String: Bool] = [:], credential: Credential?, refusal: CredentialRefusal? = nil,
        issuedBy writes: WriteBatch.AccountWrites? = nil,
        at position: RevocationLog.Position, _ idempotency: IdempotentRequest<Opened>? = nil,
        as identity: (id: SessionID, token: Secret)? = nil
    ) async throws(SessionError) -> Opened {
        let app = dependencies.app
        let username = credential?.username.text
        let window: Window
        let events: [LifecycleEvent]
        do throws(NavigationError) {
            (window, events) = try Window.launch(
                app, opening: link, flags: flags, lifecycle: lifecycle, username: username,
                isStrict: isStrict)
        } catch {
            throw .navigation(error)
        }
        return try await open(
            window, events, name: name, credential: credential, refusal: refusal,
            issuedBy: writes, at: position, idempotency, as: identity)
    }

    /// Returns whether there is a session with this id. An expired one, which the purge has not
    /// removed yet, is removed.
    public func isOpen(_ id: SessionID) async throws(SessionError) -> Bool {
        guard let found = try await session(id) else { return false }
        do throws(SessionError) {
            _ = try await withCompletion(found.read)
            return true
        } catch {
            guard error == .ended else { throw error }
        }
        forget(found)
        let now = dependencies.environment.now()
        do throws(SessionError) {
            try await dependencies.commit(WriteBatch(session: .deleteUnread(id, expiredAt: now)))
        } catch {
            // Another process has opened a session with this id.
            if error == .conflict { return true }
            // The purge may be faster.
            guard error == .ended else { throw error }
        }
        return false
    }

    /// Opens a session with an id and a token that the caller chooses.
    /// - Parameter username: the account that the session is logged in to, without its password but
    ///   with a credential of its own; nil for none. The session is not logged in to a disabled
    ///   account.
    /// - Returns: false if a session with this id already exists, see `isOpen`.
    public func open(
        _ id: SessionID, token: Secret, account username: String?, name: String?,
        lifecycle: LifecycleOrder?, isStrict: Bool?, at link: Link?
    ) async throws(SessionError) -> Bool {
        guard try await !isOpen(id) else { return false }
        do throws(SessionError) {
            let position = dependencies.revocations.position
            var writes: WriteBatch.AccountWrites?
            if let username, app.storyboard.loginScene != nil {
                writes = try await dependencies.makeCredential(for: username, session: id)?.writes
            }
            _ = try await launch(
                name, lifecycle, isStrict: isStrict, at: link, credential: writes?.newCredential,
                issuedBy: writes, at: position, as: (id, token))
            return true
        } catch {
            // The store has refused the insertion if another process has made it in the meantime.
            guard (try? await isOpen(id)) == true else { throw error }
            return false
        }
    }

    /// Opens a session that shows a window.
    /// - Parameters:
    ///   - window: the window of the session.
    ///   - events: the lifecycle events of the window's first display.
    ///   - name: the name of the session; nil for none.
    ///   - credential: the credential that the session is logged in with; nil for none.
    ///   - refusal: the value of the state's `credentialRefusal`.
    ///   - writes: the writes that store the credential, together with the session; nil if it is
    ///     stored already.
    ///   - position: the newest position in the `RevocationLog` before the credential was read from
    ///     the store.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    ///   - identity: the id and the token of the session; nil for random ones.
    func open(
        _ window: Window, _ events: [LifecycleEvent], name: String? = nil, credential: Credential?,
        refusal: CredentialRefusal? = nil, issuedBy writes: WriteBatch.AccountWrites? = nil,
        at position: RevocationLog.Position, _ idempotency: IdempotentRequest<Opened>?,
        as identity: (id: SessionID, token: Secret)? = nil
    ) async throws(SessionError) -> Opened {
        let now = dependencies.environment.now()
        let token = identity?.token ?? Secret.make(for: .session, dependencies.environment)
        let state = SessionState(
            id: identity?.id ?? SessionID.make(dependencies.environment), name: name,
            tokenHash: token.hash, createdAt: now, expiresAt: now + dependencies.sessionTTL,
            window: window, credential: credential?.hash, credentialRefusal: refusal)
        let opened = Opened(session: state, token: token)
        let log = LogWrite(
            beginningWith: state, events, hasState: dependencies.store.restoresSessions)
        let record = idempotency?.record(of: opened, endingWith: state.id, dependencies)
        let use = credential.map { credential in
            WriteBatch.AccountWrites(
                credentialUse: WriteBatch.CredentialUse(hash: credential.hash, time: now))
        }
        try await dependencies.commit(
            WriteBatch(
                session: .insert(.state(state)), log: log,
                idempotencyRecords: record.map { [$0] } ?? [],
                accountWrites: writes ?? use))
        if let writes { dependencies.revocations.note(writes, of: credential?.username) }
        dependencies.metrics.opened.increment()
        let status = credential.map { CredentialStatus($0, at: position) } ?? .unknown
        insert(
            Session(
                state, credentialStatus: status, logEnd: log.end, dependencies: dependencies))
        return opened
    }

    /// Returns a session that is in memory, without reading from the store.
    /// - Returns: nil if the session is not in memory, or if the token is not the one that was
    ///   issued when the session was opened. In both cases, `session(_:token:)` also looks in the
    ///   store.
    public func cachedSession(_ id: SessionID, token: SecretHash) -> Session? {
        guard let session = cachedSession(id), session.tokenHash == token else { return nil }
        return session
    }

    func cachedSession(_ id: SessionID) -> Session? {
        cache.withShard(for: id) { $0.session(id) }
    }

    /// Returns a session, from memory or from the store. A token for another device
    /// (`SessionToken`) is looked up in the store at each call, so that a revoked token is never
    /// accepted.
    /// - Returns: nil if no session has this id, or if the token does not belong to the session.
    ///   Callers cannot tell the two cases apart.
    public func session(
        _ id: SessionID, token: SecretHash
    ) async throws(SessionError) -> Session? {
        guard let session = try await session(id) else { return nil }
        return try await accepts(token, for: session) ? session : nil
    }

    /// Returns a session, from memory or from the store. No token is checked: the caller must know
    /// from something else that the client may use the session.
    /// - Returns: nil if no session has this id.
    public func session(_ id: SessionID) async throws(SessionError) -> Session? {
        if let session = cachedSession(id) { return session }
        return try await loading.withLock(id) { () async throws(SessionError) -> Session? in
            // Another request may have loaded the session in the meantime.
            if let session = cachedSession(id) { return session }
            let mayBeOutdated = dependencies.mayBeOutdated
            guard let loaded = try await dependencies.load(id) else { return nil }
            let session = Session(
                loaded.state, version: loaded.version, mayBeOutdated: mayBeOutdated,
                logEnd: loaded.logEnd, dependencies: dependencies)
            insert(session)
            return session
        }
    }

    /// The party that ended a session. The metrics count each case separately.
    public enum EndOrigin: Sendable {
        case client, `operator`
    }

    /// Ends a session and removes it from memory.
    /// - Parameters:
    ///   - origin: the party that ends the session.
    ///   - precondition: the condition of `If-Match`; nil if there is none.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    /// - Throws: `.revisionMismatch` if the precondition fails; `.ended` if the session has already
    ///   ended; the errors of every change, such as `.storage`.
    public func end(
        _ session: Session, by origin: EndOrigin = .client, if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil
    ) async throws(SessionError) -> IdempotentResult<ChangeResult> {
        let request = ChangeRequest(.end(), if: precondition, idempotency: idempotency)
        let result = try await withCompletion { session.perform(request, completion: $0) }
        forget(session)
        if case .fresh = result { dependencies.metrics.countEnd(by: origin) }
        return result
    }

    /// Removes a session that has ended from memory.
    func forget(_ session: Session) {
        cache.withShard(for: session.id) { $0.remove(session.id) }
    }

    /// Sets the closure that is called after credentials or tokens for other devices have been
    /// revoked. If a session whose credential has been revoked has streams, the closure can log the
    /// session out at once.
    /// - Parameter observe: called on the thread that made the revocation. The closure must not
    ///   block.
    public func onRevocation(_ observe: @escaping @Sendable (AccountRevocation) -> Void) {
        dependencies.revocations.observe(observe)
    }

    /// Returns the stored response to a request that a client has sent again, even if its session
    /// no longer exists.
    /// - Returns: the encoded response; nil if the request was not made before.
    /// - Throws: `.idempotencyKeyReused` if the first request with the key was a different one;
    ///   `.storage`.
    public func response<Output>(
        to request: IdempotentRequest<Output>
    ) async throws(SessionError) -> [UInt8]? {
        try await dependencies.response(to: request)
    }
}
