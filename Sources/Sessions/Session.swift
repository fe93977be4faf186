import Accounts
import Navigation

/// One running app, seen by one user: owns one window and who is logged in there.
///
/// A change is visible from the moment it is stored. Until then readers see what was before.
public actor Session {
    public nonisolated let id: SessionID
    nonisolated let tokenHash: SecretHash
    private let service: SessionService
    private var record: SessionRecord
    private var hasEnded = false
    private var turns = Turns()

    init(_ record: SessionRecord, service: SessionService) {
        id = record.id
        tokenHash = record.tokenHash
        self.record = record
        self.service = service
    }

    /// - Returns: nil if the session is over.
    public func current() -> SessionRecord? {
        hasEnded || record.expiresAt <= service.environment.now() ? nil : record
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

    // MARK: Who is logged in

    /// Makes an account and logs it in, both or neither.
    public func signUp(
        _ username: String, _ password: String, if precondition: Precondition? = nil,
        attempt: Attempt<Change>? = nil
    ) async throws(SessionError) -> Answered<Change> {
        try await enter(precondition, attempt) { accounts async throws(AccountError) in
            let account = try await accounts.signUp(username, password)
            var commit = Commit()
            commit.account = account
            return (account, commit)
        }
    }

    public func logIn(
        _ username: String, _ password: String, if precondition: Precondition? = nil,
        attempt: Attempt<Change>? = nil
    ) async throws(SessionError) -> Answered<Change> {
        try await enter(precondition, attempt) { accounts async throws(AccountError) in
            (try await accounts.logIn(username, password), Commit())
        }
    }

    /// - Parameter find: the account that logs in, and what is to be stored for it.
    private func enter(
        _ precondition: Precondition?, _ attempt: Attempt<Change>?,
        _ find: (Accounts) async throws(AccountError) -> (Account, Commit)
    ) async throws(SessionError) -> Answered<Change> {
        try await turn(precondition, attempt) { () async throws(SessionError) in
            try self.checkLogInIsPossible()
            var (account, commit): (Account, Commit)
            do throws(AccountError) {
                (account, commit) = try await find(self.service.accounts)
            } catch {
                throw .account(error)
            }
            let (secret, credential) = self.service.accounts.makeCredential(for: account)
            commit.newCredential = credential
            var next = self.record
            next.credential = credential.hash
            next.credentialRefusal = nil
            return try await self.commit(
                .logIn(username: account.username.text), animated: false, to: next, attempt,
                adding: commit, secret: secret)
        }
    }

    /// Revokes the credential that the session is logged in with.
    public func logOut(
        if precondition: Precondition? = nil, attempt: Attempt<Change>? = nil
    ) async throws(SessionError) -> Answered<Change> {
        try await turn(precondition, attempt) { () async throws(SessionError) in
            var next = self.record
            var commit = Commit()
            commit.revokedCredential = next.credential
            next.credential = nil
            next.credentialRefusal = nil
            return try await self.commit(
                .logOut, animated: false, to: next, attempt, adding: commit)
        }
    }

    /// Before a password is hashed or an account made, not after.
    private func checkLogInIsPossible() throws(SessionError) {
        var trial = record.window
        do {
            _ = try trial.perform(.logIn(username: ""), animated: false, in: service.app)
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
            commit.receipt = attempt?.receipt(of: (), self.service.environment)
            try await self.store(commit)
            self.hasEnded = true
        }
    }

    public func events(after: Int, limit: Int) async throws(SessionError) -> EventPage {
        guard let last = current()?.window.lastEvent else { throw .ended }
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
    private func turn<Result: Sendable>(
        _ precondition: Precondition?, _ attempt: Attempt<Result>?,
        _ change: () async throws(SessionError) -> Result
    ) async throws(SessionError) -> Answered<Result> {
        if !turns.takeIfFree() { await withCheckedContinuation { turns.wait($0) } }
        defer { turns.end()?.resume() }
        if let attempt, let answer = try await service.answer(to: attempt) {
            return .before(answer)
        }
        guard current() != nil else { throw .ended }
        let revision = record.window.revision
        guard precondition?(revision) ?? true else { throw .revisionMismatch(present: revision) }
        return .now(try await change())
    }

    /// Stores what the operation makes of `next`; only then is it the session's state.
    /// - Parameters:
    ///   - addition: what else is to be stored with it.
    ///   - secret: of the credential that the change issues.
    private func commit(
        _ operation: Operation, animated: Bool, to next: SessionRecord,
        _ attempt: Attempt<Change>?, adding addition: Commit = Commit(), secret: Secret? = nil
    ) async throws(SessionError) -> Change {
        var next = next
        let outcome: Outcome
        do {
            outcome = try next.window.perform(operation, animated: animated, in: service.app)
        } catch {
            throw .navigation(error)
        }
        var commit = Commit()
        if outcome.changed {
            next.expiresAt = service.environment.now() + service.sessionTTL
            commit = addition
            commit.session = .update(next.stored)
            commit.events = outcome.events
        } else {
            next = record
        }
        let change = Change(
            outcome: outcome, session: next, credential: outcome.changed ? secret : nil)
        commit.receipt = attempt?.receipt(of: change, service.environment)
        if outcome.changed || commit.receipt != nil { try await store(commit) }
        record = next
        return change
    }

    private func store(_ commit: Commit) async throws(SessionError) {
        do { try await service.store.commit(commit) } catch { throw SessionError(error) }
    }
}

/// Whether a change may be made to a session of this revision.
public typealias Precondition = @Sendable (_ revision: Int) -> Bool
