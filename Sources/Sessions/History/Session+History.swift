import Accounts
import Navigation
import WaypostCore

/// A change that the history of a session records.
public struct RecordedChange: Sendable {
    public let entry: JournalEntry
    /// Whether the operation's arguments and the title must be hidden from clients. They are hidden
    /// if the change is an operation or a log-in, and the session's credential before or after it
    /// is unknown or no longer valid.
    public let isWithheld: Bool
    /// The change's transition; nil if the change cannot be replayed with the present app
    /// definition and Waypost version.
    public let transition: Transition?
    /// The title of the top view controller after the change. Nil if the view controller has no
    /// title, if the title is withheld, or if the state cannot be rebuilt.
    public let title: String?
}

/// A page of the history of a session.
public struct HistoryPage: Sendable {
    public let changes: [RecordedChange]
    /// The oldest revision whose state is kept. The history lists only the changes after this
    /// revision.
    public let oldest: Int
    /// The session's present revision.
    public let last: Int
}

extension Session {
    /// Returns a page of the session's changes, the oldest first.
    /// - Parameters:
    ///   - after: the page begins with the change after this revision; 0 for the first page.
    ///   - limit: the maximum number of changes on the page.
    /// - Throws: `.revisionGone`, with the lowest possible `after` in `oldest`, if some changes
    ///   after revision `after` are no longer kept; the errors of `current()`.
    public nonisolated func history(
        after: Int, limit: Int
    ) async throws(SessionError) -> HistoryPage {
        let present = try await current()
        let past = try await past(of: present, from: after, through: after.adding(limit))
        let last = present.window.revision
        guard after >= past.oldest || past.oldest == 1 else {
            throw .revisionGone(oldest: past.oldest)
        }
        var page: [RecordedChange] = []
        let revisions = past.revisions(after + 1, after.adding(limit))
        var credentials = CredentialChecks(dependencies)
        for change in try past.replay(revisions, { PastChange($0, $1) }) {
            page.append(try await change.recorded(in: dependencies.app, &credentials))
        }
        return HistoryPage(changes: page, oldest: past.oldest, last: last)
    }

    /// Replays changes of the session. The method does not check whether the credentials that the
    /// session had at that time are still valid.
    /// - Parameters:
    ///   - after: the replay begins with the change after this revision.
    ///   - last: the revision of the last change.
    ///   - describe: makes the value to return for a change. Its second argument is nil if the
    ///     states before and after the change cannot be rebuilt. If that turns out only later, the
    ///     method calls `describe` for the change again.
    /// - Returns: one value for each change that is still kept, and in `oldest` the oldest revision
    ///   in the history.
    public nonisolated func replay<Value>(
        after: Int, through last: Int, _ describe: (JournalEntry, ReplayedChange?) -> Value
    ) async throws(SessionError) -> (values: [Value], oldest: Int) {
        let past = try await past(of: try await current(), from: after, through: last)
        return (try past.replay(past.revisions(after + 1, last), describe), past.oldest)
    }

    /// Checks a credential that the session had at an earlier revision.
    /// - Returns: the reason why the credential is no longer valid; nil if it is still valid.
    public nonisolated func refusal(
        of credential: SecretHash
    ) async throws(SessionError) -> CredentialRefusal? {
        var checks = CredentialChecks(dependencies)
        return try await checks.refusal(of: credential)
    }

    /// Returns the session's state at a revision.
    /// - Throws: `.revisionNotFound` if the revision is higher than the session's present one;
    ///   `.revisionGone` if the revision is no longer kept or cannot be rebuilt;
    ///   `.credentialRefused` if the session was logged in at that revision with a credential that
    ///   is no longer valid.
    public nonisolated func snapshot(
        at revision: Int
    ) async throws(SessionError) -> SessionSnapshot {
        let present = try await current()
        let last = present.window.revision
        guard revision <= last else { throw .revisionNotFound(present: last) }
        guard revision < last else { return present }
        let past = try await past(of: present, from: revision, through: revision + 1)
        guard revision >= past.oldest else { throw .revisionGone(oldest: past.oldest) }
        // The state at `revision` is the state before the next change. It is known once the next
        // change has been replayed.
        let next = past.revisions(revision + 1, revision + 1)
        guard let found = try past.replay(next, { $1?.before }).first ?? nil else {
            throw .revisionGone(oldest: nil)
        }
        var credentials = CredentialChecks(dependencies)
        if let refusal = try await credentials.refusal(of: found, present) {
            throw .credentialRefused(refusal)
        }
        return found
    }

    private nonisolated func past(
        of present: SessionSnapshot, from first: Int, through last: Int
    ) async throws(SessionError) -> Past {
        let policy = dependencies.history
        let replay = Replay(
            app: dependencies.app, digest: policy.digest, sessionTTL: dependencies.sessionTTL,
            present: present)
        let end = present.window.revision
        guard policy.isOn else {
            return Past(session: id, replay: replay, chunks: [], oldest: end)
        }
        let part: JournalPart
        do {
            // The part reaches beyond `last`, because changes that were made with another app are
            // verified against the complete state that follows them.
            part = try await dependencies.store.journal(
                of: id, from: first, through: last.adding(HistoryPolicy.baseInterval))
        } catch {
            throw .storage(error)
        }
        return Past(
            session: id, replay: replay, chunks: part.chunks,
            oldest: max(min(part.oldest ?? end, end), end - policy.retention))
    }
}

/// A part of a session's journal, and the values that a replay of it needs.
private struct Past {
    let session: SessionID
    let replay: Replay
    let chunks: [[UInt8]]
    let oldest: Int

    /// Limits a range of revisions to changes that are kept and that readers may see. The store may
    /// already hold a newer change that the session has not made visible yet.
    /// - Returns: nil if no change is left.
    func revisions(_ first: Int, _ last: Int) -> ClosedRange<Int>? {
        let first = max(first, oldest + 1)
        let last = min(last, replay.present.window.revision)
        return first <= last ? first...last : nil
    }

    func replay<Value>(
        _ revisions: ClosedRange<Int>?, _ describe: (JournalEntry, ReplayedChange?) -> Value
    ) throws(SessionError) -> [Value] {
        guard let revisions else { return [] }
        do {
            return try replay.run(chunks, revisions: revisions, describe)
        } catch {
            throw .storage(
                StorageError(
                    reason: "the stored history of session \(session.description.prefix(8)) cannot "
                        + "be read: its bytes are damaged"))
        }
    }
}

/// A replayed change, with the session's credentials before and after it.
private struct PastChange {
    let entry: JournalEntry
    let transition: Transition?
    let title: String?
    /// The hashes of the session's credentials before and after the change, nil while logged out.
    /// The array itself is nil if these states cannot be rebuilt.
    let credentials: [SecretHash?]?

    init(_ entry: JournalEntry, _ change: ReplayedChange?) {
        self.entry = entry
        transition = change?.outcome.transition
        title = change?.after.window.topViewController.effectiveTitle
        credentials = change.map { [$0.before.credential, $0.after.credential] }
    }

    func recorded(
        in app: App, _ checks: inout CredentialChecks
    ) async throws(SessionError) -> RecordedChange {
        var isWithheld = credentials == nil && app.storyboard.loginScene != nil
        switch entry.change {
        // These changes reveal nothing about the account.
        case .logOut, .fallBack, .freshRoot: isWithheld = false
        case .perform, .logIn:
            for credential in credentials ?? [] where !isWithheld {
                isWithheld = try await checks.refusal(of: credential) != nil
            }
        }
        return RecordedChange(
            entry: entry, isWithheld: isWithheld, transition: transition,
            title: isWithheld ? nil : title)
    }
}

/// Checks whether credentials are still valid. Each credential is read from the store only once.
struct CredentialChecks {
    private let dependencies: SessionDependencies
    private var refusals: [SecretHash: CredentialRefusal?] = [:]

    init(_ dependencies: SessionDependencies) { self.dependencies = dependencies }

    /// Checks the credential of an earlier state of the session.
    /// - Parameter present: the session's present state, whose credential is known to be valid.
    /// - Returns: the reason why the credential is no longer valid; nil if it is valid, or if the
    ///   session was not logged in.
    mutating func refusal(
        of past: SessionSnapshot, _ present: SessionSnapshot
    ) async throws(SessionError) -> CredentialRefusal? {
        // The session has just checked the credential of its present state, in `current()`.
        if past.credential == present.credential { return nil }
        return try await refusal(of: past.credential)
    }

    mutating func refusal(
        of credential: SecretHash?
    ) async throws(SessionError) -> CredentialRefusal? {
        guard let credential, dependencies.app.storyboard.loginScene != nil else { return nil }
        if let known = refusals[credential] { return known }
        let refusal: CredentialRefusal?
        do {
            switch try await dependencies.accounts.credential(credential) {
            case .success: refusal = nil
            // The credential existed at log-in, so it was removed since, usually with its account.
            case .failure(.unknown): refusal = .revoked
            case .failure(let reason): refusal = reason
            }
        } catch {
            throw .storage(error)
        }
        refusals[credential] = .some(refusal)
        return refusal
    }
}

extension Int {
    /// Returns the sum, or `Int.max` if the sum overflows.
    fileprivate func adding(_ other: Int) -> Int {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}
