import Accounts
import Navigation
import Synchronization

/// One running app, seen by one user: owns one window and who is logged in there.
///
/// A change is visible from the moment it is stored. Until then readers see what was before.
public actor Session {
    public nonisolated let id: SessionID
    nonisolated let tokenHash: SecretHash
    private let service: SessionService
    private struct State {
        var record: SessionRecord
        var standing: Standing
        /// What the session's idempotency records take; nil until a request with a key comes.
        var idempotencyUsage: IdempotencyUsageBox?
        // Last, where they need no more room than the flags in them: there are many sessions.
        var turns = Turns()
        var hasEnded = false
    }

    /// Written by the turn that is on, or under the lock as long as none is. Behind a lock, so that
    /// what has nothing to wait for needs no task and no turn, nor even the actor: it sees the last
    /// change that is stored.
    private let state: Mutex<State>

    /// - Parameter standing: what is known of the record's credential.
    init(_ record: SessionRecord, standing: Standing = .unknown, service: SessionService) {
        id = record.id
        tokenHash = record.tokenHash
        state = Mutex(State(record: record, standing: standing))
        self.service = service
    }

    private var record: SessionRecord {
        get { state.withLock(\.record) }
        set { state.withLock { $0.record = newValue } }
    }

    private var standing: Standing {
        get { state.withLock(\.standing) }
        set { state.withLock { $0.standing = newValue } }
    }

    /// The state, if nothing has to be done before it may be shown.
    /// - Returns: nil if `current` has to look.
    public nonisolated func currentAtOnce() -> SessionRecord? {
        state.withLock { state in
            isOver(state) || !isInGoodStanding(state) ? nil : state.record
        }
    }

    /// The state, at the login root if the credential that the session was logged in with is no good
    /// any more.
    /// - Throws: `.ended`; `.storage` and `.sessionBusy` where the login root cannot be swapped in.
    public func current() async throws(SessionError) -> SessionRecord {
        if let record = currentAtOnce() { return record }
        guard !isOver else { throw .ended }
        if !isInGoodStanding {
            _ = try await turn(nil, Attempt<Void>?.none) { () async throws(SessionError) in }
        }
        return record
    }

    private var isOver: Bool { state.withLock { isOver($0) } }

    private nonisolated func isOver(_ state: borrowing State) -> Bool {
        state.hasEnded || state.record.expiresAt <= service.environment.now()
    }

    /// - Parameter precondition: whether the change may be made to this revision (`If-Match`).
    public func perform(
        _ operation: Operation, animated: Bool, if precondition: Precondition? = nil,
        attempt: Attempt<Change>? = nil
    ) async throws(SessionError) -> Answered<Change> {
        try await turn(precondition, attempt) { () async throws(SessionError) in
            try await self.commit(operation, animated: animated, to: self.record, attempt)
        }
    }

    /// What `perform` does, where nothing has to be waited for: no turn, no store.
    /// - Returns: nil if something has, and nothing has been done.
    public nonisolated func performAtOnce(
        _ operation: Operation, animated: Bool, if precondition: Precondition? = nil
    ) throws(SessionError) -> Change? {
        guard let store = service.immediateStore else { return nil }
        return try state.withLock { state throws(SessionError) -> Change? in
            let change = try changeAtOnce(operation, animated: animated, if: precondition, state)
            if let change, change.outcome.changed {
                do throws(CommitError) {
                    try store.update(change.session, change.outcome.events)
                } catch {
                    if error == .sessionNotFound { state.hasEnded = true }
                    throw SessionError(error)
                }
                state.record = change.session
            }
            return change
        }
    }

    /// What `perform` does, without a task.
    /// - Parameter prepare: called at once with the change. What it returns is called when the change
    ///   is stored, or could not be, on a thread of the store's; at once where there is nothing to
    ///   store.
    /// - Returns: false if something else has to be waited for: nothing has been done, and `prepare`
    ///   is not called.
    public nonisolated func perform(
        _ operation: Operation, animated: Bool, if precondition: Precondition? = nil,
        preparing prepare: (Change) -> @Sendable (Result<Void, SessionError>) -> Void
    ) throws(SessionError) -> Bool {
        guard let store = service.notifyingStore else { return false }
        let change = try state.withLock { state throws(SessionError) -> Change? in
            let change = try changeAtOnce(operation, animated: animated, if: precondition, state)
            if change?.outcome.changed == true { _ = state.turns.takeIfFree() }
            return change
        }
        guard let change else { return false }
        let done = prepare(change)
        guard change.outcome.changed else {
            done(.success(()))
            return true
        }
        let record = change.session
        store.update(record, change.outcome.events) { result in
            let next = self.state.withLock { state in
                switch result {
                case .success: state.record = record
                case .failure(.sessionNotFound): state.hasEnded = true
                case .failure: break
                }
                return state.turns.end()
            }
            next?.resume(returning: true)
            done(result.mapError { SessionError($0) })
        }
        return true
    }

    /// - Returns: what the operation makes of the session; nil if something has to be waited for first.
    private nonisolated func changeAtOnce(
        _ operation: Operation, animated: Bool, if precondition: Precondition?,
        _ state: borrowing State
    ) throws(SessionError) -> Change? {
        guard !state.turns.isTaken, !isOver(state), isInGoodStanding(state) else { return nil }
        try Self.check(precondition, state.record)
        return try change(operation, animated: animated, to: state.record)
    }

    // MARK: Who is logged in

    /// Makes an account and logs it in, both or neither.
    /// - Parameter client: where the request comes from, as far as is known.
    public func signUp(
        _ username: String, _ password: String, from client: String? = nil,
        if precondition: Precondition? = nil, attempt: Attempt<Change>? = nil
    ) async throws(SessionError) -> Answered<Change> {
        let guess = PasswordGuess(username: username, client: client)
        return try await enter(precondition, attempt, guess) {
            accounts async throws(AccountError) in
            guard accounts.isSignUpOpen else { throw .signUpClosed }
            let account = try await accounts.signUp(username, password, from: client)
            return (account, .insert(account))
        }
    }

    /// - Parameter client: where the request comes from, as far as is known: guesses are counted.
    public func logIn(
        _ username: String, _ password: String, from client: String? = nil,
        if precondition: Precondition? = nil, attempt: Attempt<Change>? = nil
    ) async throws(SessionError) -> Answered<Change> {
        let guess = PasswordGuess(username: username, client: client)
        return try await enter(precondition, attempt, guess) {
            accounts async throws(AccountError) in
            let verified = try await accounts.logIn(username, password, from: client)
            return (verified.account, .update(verified.account, from: verified.found))
        }
    }

    /// - Parameters:
    ///   - guess: the password that the request holds.
    ///   - find: the account that logs in, and what is to be stored of it.
    private func enter(
        _ precondition: Precondition?, _ attempt: Attempt<Change>?, _ guess: PasswordGuess,
        _ find: (Accounts) async throws(AccountError) -> (Account, Commit.AccountChange)
    ) async throws(SessionError) -> Answered<Change> {
        try await turn(precondition, attempt, guess) {
            () async throws(SessionError) -> Change in
            try self.checkLogInIsPossible()
            // An account that changed while its password was looked at is looked at again.
            for _ in 0..<2 {
                do throws(SessionError) {
                    return try await self.enter(attempt, find)
                } catch {
                    guard error == .account(.accountChanged) else { throw error }
                }
            }
            throw .account(.wrongCredentials)
        }
    }

    private func enter(
        _ attempt: Attempt<Change>?,
        _ find: (Accounts) async throws(AccountError) -> (Account, Commit.AccountChange)
    ) async throws(SessionError) -> Change {
        let account: Account
        var commit = Commit()
        do throws(AccountError) {
            (account, commit.account) = try await find(service.accounts)
        } catch {
            throw .account(error)
        }
        let surplus = try await surplusCredentials(of: account)
        if !surplus.isEmpty { commit.revocation = .credentials(surplus) }
        let (secret, credential) = service.accounts.makeCredential(
            for: account, session: id.description)
        commit.newCredential = credential
        // Before it is stored: it can be revoked from then on.
        let standing = Standing(credential, at: service.revocations.position)
        let change = try await self.commit(
            .logIn(username: account.username.text), animated: false,
            to: record.with(credential.hash), attempt, adding: commit, secret: secret)
        for hash in surplus { service.revocations.note(hash) }
        self.standing = standing
        return change
    }

    /// The credentials that have to go so that the account may have one more. Log-ins that look at the
    /// same time see the same ones: the few that the account then has too many go with the next log-in.
    private func surplusCredentials(
        of account: Account
    ) async throws(SessionError) -> [SecretHash] {
        do {
            return Credential.surplus(
                of: try await service.store.credentials(
                    of: account.username, at: service.environment.now(), after: nil,
                    limit: 10 * Credential.goodLimit))
        } catch {
            throw .storage(error)
        }
    }

    /// Revokes the credential that the session is logged in with.
    public func logOut(
        if precondition: Precondition? = nil, attempt: Attempt<Change>? = nil
    ) async throws(SessionError) -> Answered<Change> {
        try await turn(precondition, attempt) { () async throws(SessionError) in
            let credential = self.record.credential
            var commit = Commit()
            commit.revocation = credential.map { .credentials([$0]) }
            let change = try await self.commit(
                .logOut, animated: false, to: self.record.with(nil), attempt, adding: commit)
            if let credential { self.service.revocations.note(credential) }
            return change
        }
    }

    private var isInGoodStanding: Bool { state.withLock { isInGoodStanding($0) } }

    private nonisolated func isInGoodStanding(_ state: borrowing State) -> Bool {
        state.record.credential == nil || service.app.storyboard.loginScene == nil
            || (state.standing.position == service.revocations.position
                && service.environment.now() < state.standing.expiresAt)
    }

    /// Shows the login root if the credential that the session was logged in with is no good any
    /// more: what the app does at launch, at the first request that finds it so.
    private func fallBackIfRevoked() async throws(SessionError) {
        guard !isInGoodStanding, let hash = record.credential,
            let refusal = try await refusal(of: hash)
        else { return }
        _ = try await commit(.logOut, animated: false, to: record.with(nil, refusal), nil)
    }

    /// - Returns: nil if the credential is good.
    private func refusal(of hash: SecretHash) async throws(SessionError) -> CredentialRefusal? {
        // First of all: what is revoked from here on is seen the next time.
        let position = service.revocations.position
        if service.environment.now() < standing.expiresAt,
            let isRevoked = service.revocations.hasRevoked(hash, since: standing.position)
        {
            // What is revoked stays to be seen until the login root is stored.
            if !isRevoked { standing.position = position }
            return isRevoked ? .revoked : nil
        }
        do {
            switch try await service.accounts.credential(hash) {
            case .success(let credential):
                standing = Standing(credential, at: position)
                return nil
            // It was known once: its account is gone.
            case .failure(.unknown): return .revoked
            case .failure(let refusal): return refusal
            }
        } catch {
            throw .storage(error)
        }
    }

    /// Before a password is hashed or an account made, not after.
    private func checkLogInIsPossible() throws(SessionError) {
        do {
            _ = try record.window.performing(
                .logIn(username: ""), animated: false, in: service.app)
        } catch {
            throw .navigation(error)
        }
    }

    // MARK: The end, and the log

    func end(
        if precondition: Precondition?, attempt: Attempt<Void>?
    ) async throws(SessionError) -> Answered<Void> {
        try await turn(precondition, attempt) { () async throws(SessionError) in
            var commit = Commit(session: .delete(self.id))
            // It outlives the session, of which it is the last.
            commit.idempotencyRecord = attempt?.record(of: (), self.service)
            try await self.store(commit)
            self.state.withLock { $0.hasEnded = true }
        }
    }

    public func events(after: Int, limit: Int) async throws(SessionError) -> EventPage {
        let last = try await current().window.lastEvent
        do {
            let page = try await service.store.events(of: id, after: after, limit: limit)
            // The store may be a change ahead of what readers see.
            return EventPage(events: page.events.filter { $0.seq <= last }, oldest: page.oldest)
        } catch {
            throw .storage(error)
        }
    }

    // MARK: One turn

    /// Runs one change at a time, unless it is one that was answered before.
    /// - Parameter guess: the password that the request holds, if it holds one.
    private func turn<Result: Sendable>(
        _ precondition: Precondition?, _ attempt: Attempt<Result>?, _ guess: PasswordGuess? = nil,
        _ change: () async throws(SessionError) -> Result
    ) async throws(SessionError) -> Answered<Result> {
        guard await takeTurn() else { throw .sessionBusy }
        defer { state.withLock { $0.turns.end() }?.resume(returning: true) }
        if let attempt, let answer = try await service.answer(to: attempt, counting: guess) {
            return .before(answer)
        }
        guard !isOver else { throw .ended }
        if attempt != nil { try await checkIdempotencyUsage() }
        try await fallBackIfRevoked()
        try Self.check(precondition, record)
        return .now(try await change())
    }

    /// - Throws: `.tooManyIdempotencyKeys` if the session has no room for one more record.
    private func checkIdempotencyUsage() async throws(SessionError) {
        let usage = try await idempotencyUsage()
        guard usage.count < service.idempotency.maximumRecords else {
            throw .tooManyIdempotencyKeys(until: usage.firstExpiry)
        }
    }

    /// What the session's records take, which the store is asked for once, and again when one of them
    /// has expired.
    private func idempotencyUsage() async throws(SessionError) -> IdempotencyUsage {
        let now = service.environment.now()
        if let usage = state.withLock({ $0.idempotencyUsage?.usage }),
            usage.firstExpiry.map({ now < $0 }) ?? true
        {
            return usage
        }
        do {
            let usage = try await service.store.idempotencyUsage(of: id, at: now)
            state.withLock { $0.idempotencyUsage = IdempotencyUsageBox(usage) }
            return usage
        } catch {
            throw .storage(error)
        }
    }

    /// - Returns: false if too many wait already.
    private func takeTurn() async -> Bool {
        if state.withLock({ $0.turns.takeIfFree() }) { return true }
        return await withCheckedContinuation { next in
            // Looked at and waited for under one lock: turns end on any thread.
            let hasTurn = state.withLock { state -> Bool? in
                if state.turns.takeIfFree() { return true }
                guard state.turns.waitingCount < service.waitingLimit else { return false }
                state.turns.wait(next)
                return nil
            }
            if let hasTurn { next.resume(returning: hasTurn) }
        }
    }

    private static func check(
        _ precondition: Precondition?, _ record: SessionRecord
    ) throws(SessionError) {
        let revision = record.window.revision
        guard precondition?(revision) ?? true else { throw .revisionMismatch(present: revision) }
    }

    /// Stores what the operation makes of `next`; only then is it the session's state.
    /// - Parameters:
    ///   - addition: what else is to be stored with it.
    ///   - secret: of the credential that the change issues.
    private func commit(
        _ operation: Operation, animated: Bool, to next: SessionRecord,
        _ attempt: Attempt<Change>?, adding addition: Commit = Commit(), secret: Secret? = nil
    ) async throws(SessionError) -> Change {
        var change = try change(operation, animated: animated, to: next)
        var commit = Commit()
        if change.outcome.changed {
            commit = addition
            commit.session = .update(change.session.stored)
            commit.events = change.outcome.events
            change.credential = secret
        } else {
            // Not even what `next` has already.
            change.session = record
        }
        if let attempt {
            let usage = try await idempotencyUsage()
            commit.idempotencyRecord = try attempt.record(of: change, of: id, with: usage, service)
        }
        if change.outcome.changed || commit.idempotencyRecord != nil { try await store(commit) }
        if let record = commit.idempotencyRecord {
            state.withLock { $0.idempotencyUsage?.usage.add(record) }
        }
        record = change.session
        return change
    }

    /// What the operation makes of `next`.
    private nonisolated func change(
        _ operation: Operation, animated: Bool, to next: SessionRecord
    ) throws(SessionError) -> Change {
        let window: Window
        let outcome: Outcome
        do {
            (window, outcome) = try next.window.performing(
                operation, animated: animated, in: service.app)
        } catch {
            throw .navigation(error)
        }
        guard outcome.changed else { return Change(outcome: outcome, session: next) }
        // Never sooner than it was: the clock may have been set back.
        let expiresAt = max(next.expiresAt, service.environment.now() + service.sessionTTL)
        return Change(outcome: outcome, session: next.with(window, expiresAt: expiresAt))
    }

    private func store(_ commit: Commit) async throws(SessionError) {
        do {
            try await service.store.commit(commit)
        } catch {
            if error == .sessionNotFound { state.withLock { $0.hasEnded = true } }
            throw SessionError(error)
        }
    }
}

/// Behind a reference: few sessions have one, and there are many sessions.
private final class IdempotencyUsageBox {
    var usage: IdempotencyUsage

    init(_ usage: IdempotencyUsage) { self.usage = usage }
}

/// Whether a change may be made to a session of this revision.
public typealias Precondition = @Sendable (_ revision: Int) -> Bool
