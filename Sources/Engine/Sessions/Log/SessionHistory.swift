import NavigationRules
import WaypostCore

/// A change that the history of a session records.
public struct RecordedChange: Sendable {
    public let entry: LogEntry
    /// Whether the operation's arguments and the title must be hidden from clients. They are hidden
    /// if the change is an operation or a log-in, and the session's credential before or after it
    /// is unknown or no longer valid.
    public let isHidden: Bool
    /// The change's transition; nil if an earlier version of Waypost recorded the change, and its
    /// states cannot be rebuilt.
    public let transition: Transition?
    /// The title of the top view controller after the change. Nil if the view controller has no
    /// title, if the title is hidden, or if the state cannot be rebuilt.
    public let title: String?
}

/// The revisions of a session between which the history has changes.
public struct HistoryRange: Sendable {
    /// The oldest revision whose state is kept. The history lists only the changes after this
    /// revision.
    public let oldest: Int
    /// The session's present state.
    public let present: SessionState
    /// The session's present revision.
    public var last: Int { present.window.revision }
}

extension Session {
    /// The session's recorded changes.
    public var history: SessionHistory { SessionHistory(session: self) }
}

/// Reads the recorded changes of a session, their events and the states between them from the
/// session's log. A read takes several steps in a task and does not delay the session's changes.
public struct SessionHistory: Sendable {
    let session: Session
    private var dependencies: SessionDependencies { session.dependencies }

    /// Reads a page of the session's changes, the oldest first.
    /// - Parameters:
    ///   - after: the page begins with the change after this revision; 0 for the first page.
    ///   - limit: the maximum number of changes on the page.
    ///   - add: adds a change to the page, and returns whether the page takes more. If it always
    ///     does, there are fewer changes than `limit` only if no later one is recorded.
    /// - Throws: `.revisionGone`, with the lowest possible `after` in `oldest`, if some changes
    ///   after revision `after` are no longer kept; `.historyBusy` if too many requests read
    ///   the history; the errors of `Session.read`.
    public func page(
        after: Int, limit: Int, for reader: HistoryReader = .patient,
        adding add: (RecordedChange) -> Bool
    ) async throws(SessionError) -> HistoryRange {
        let present = try await withCompletion(session.read)
        return try await withPlace(for: reader) { () async throws(SessionError) in
            try await dependencies.historyQueue.withTurn(for: reader) {
                () async throws(SessionError) in
                let oldest = try await read(
                    of: present, after: after, limit: limit, for: reader, adding: add)
                return HistoryRange(oldest: oldest, present: present)
            }
        }
    }

    /// Reads a page of changes.
    /// - Returns: the oldest revision in the history.
    private func read(
        of present: SessionState, after: Int, limit: Int, for reader: HistoryReader,
        adding add: (RecordedChange) -> Bool
    ) async throws(SessionError) -> Int {
        let last = present.window.revision
        let app = dependencies.app
        var credentials = CredentialChecks(dependencies)
        var position = after
        var oldest = 1
        var room = limit
        // A revision has at most one change. Some have none: the one with which the session began,
        // and those that were made without a history.
        var revisions = limit
        repeat {
            let next = min(position.adding(min(revisions, HistoryQueue.pieceSize)), last)
            let piece = try await pastChanges(
                of: present, after: position, through: next, for: reader
            ) { past throws(SessionError) in
                try past.changes { _, _ in () }?.map { ($0, title: $0.title(in: app)) }
            }
            if position == after {
                oldest = piece.oldest
                guard position >= oldest || oldest == 1 else {
                    throw .revisionGone(oldest: oldest)
                }
            }
            // Changes that this request has not read yet may leave the history meanwhile.
            guard piece.oldest <= max(position, oldest) else {
                throw .revisionGone(oldest: piece.oldest)
            }
            for (change, title) in piece.value where room > 0 {
                let recorded = try await change.recorded(title, &credentials)
                room = add(recorded) ? room - 1 : 0
            }
            position = next
            revisions = piece.value.isEmpty ? HistoryQueue.pieceSize : room
        } while position < last && room > 0
        return oldest
    }

    /// Carries out a request that reads the history of the session, and limits how many such requests
    /// are in progress.
    /// - Throws: `.historyBusy` if too many are; the errors of `work`.
    public func withPlace<Output>(
        for reader: HistoryReader, _ work: () async throws(SessionError) -> Output
    ) async throws(SessionError) -> Output {
        try await dependencies.historyQueue.withPlace(for: reader, work)
    }

    /// Performs changes of the session again, on a thread of its own. The method does not check
    /// whether the credentials that the session had at that time are still valid.
    /// - Parameters:
    ///   - present: a state of the session; later changes are not performed.
    ///   - after: the first change is the one after this revision.
    ///   - last: the revision of the last change, at most `HistoryQueue.pieceSize` higher.
    ///   - collect: makes the value to return from the changes that are still kept. The second
    ///     element is nil for a change that cannot be repeated. The third one is the credential of
    ///     the session after the change; nil if there was none, or if it is unknown.
    /// - Returns: the value, and in `oldest` the oldest revision in the history.
    /// - Throws: `.historyBusy` if the reader has left; `.storage`.
    public func repeating<Value: Sendable>(
        of present: SessionState, after: Int, through last: Int, for reader: HistoryReader,
        _ collect: @escaping @Sendable ([(LogEntry, RepeatedChange?, SecretHash?)]) -> Value
    ) async throws(SessionError) -> (value: Value, oldest: Int) {
        try await dependencies.historyQueue.withTurn(for: reader) {
            () async throws(SessionError) in
            try await pastChanges(of: present, after: after, through: last, for: reader) {
                past throws(SessionError) in
                var repetition = ChangeRepetition(past.walk)
                let changes = try past.changes { repetition.perform($0, on: $1) }
                return changes.map { changes in
                    collect(
                        changes.map {
                            ($0.entry, $0.reading, $0.states?.credentials.last ?? nil)
                        })
                }
            }
        }
    }

    /// Reads changes of the session on a thread of its own. The caller must have the turn of the
    /// queue (`HistoryQueue.withTurn`).
    /// - Parameters:
    ///   - after: the first change is the one after this revision.
    ///   - last: the revision of the last change.
    ///   - read: makes the value to return, nil if more of the log is needed.
    private func pastChanges<Value: Sendable>(
        of present: SessionState, after first: Int, through last: Int, for reader: HistoryReader,
        _ read: @escaping @Sendable (Past) throws(SessionError) -> Value?
    ) async throws(SessionError) -> (value: Value, oldest: Int) {
        try dependencies.historyQueue.checkWaits(reader)
        // Changes that an earlier version recorded without their effects are compared with the next
        // complete state, which follows within this distance.
        for distance in [0, Self.earlierStateDistance] {
            let past = try await past(
                of: present, after: first, through: last, readingOn: distance)
            let result = try await dependencies.historyQueue.run(for: reader) {
                Result { () throws(SessionError) in try read(past) }
            }
            if let value = try result.get() { return (value, past.oldest) }
        }
        throw .revisionGone(oldest: nil)
    }

    /// The maximum number of changes between two complete states that earlier versions of Waypost
    /// recorded.
    private static let earlierStateDistance = 800

    /// Checks a credential that the session had at an earlier revision.
    /// - Returns: the reason why the credential is no longer valid; nil if it is still valid.
    public func refusal(
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
    public func state(
        at revision: Int, for reader: HistoryReader = .patient
    ) async throws(SessionError) -> SessionState {
        let present = try await withCompletion(session.read)
        let last = present.window.revision
        guard revision <= last else { throw .revisionNotFound(present: last) }
        guard revision < last else { return present }
        // The state at `revision` is the state before the next change.
        let (changes, oldest) = try await dependencies.historyQueue.withTurn(for: reader) {
            () async throws(SessionError) in
            try await pastChanges(
                of: present, after: revision, through: revision + 1, for: reader
            ) { past throws(SessionError) in try past.changes { _, state in state } }
        }
        guard revision >= oldest else { throw .revisionGone(oldest: oldest) }
        guard let state = changes.first?.reading,
            let found = SessionState(state, of: present, in: dependencies.app)
        else { throw .revisionGone(oldest: nil) }
        // In an app with a login, `Session.read` has just checked the credential of the present state.
        if let credential = found.credential,
            credential != present.credential || dependencies.app.storyboard.loginScene == nil,
            let refusal = try await refusal(of: credential)
        {
            throw .credentialRefused(refusal)
        }
        return found
    }

    private func past(
        of present: SessionState, after first: Int, through last: Int, readingOn distance: Int
    ) async throws(SessionError) -> Past {
        let retention = dependencies.historyRetention
        let walk = LogWalk(
            app: dependencies.app, sessionTTL: dependencies.sessionTTL, present: present)
        let end = present.window.revision
        var slice = LogSlice.none
        if retention > 0 {
            slice = try await dependencies.store.log(
                of: session.id, from: first, through: last.adding(distance))
        }
        let oldest = max(min(slice.oldest ?? end, end), end - retention)
        // The store may already hold a newer change that the session has not made visible yet.
        let revisions = max(first + 1, oldest + 1)...max(first + 1, oldest + 1, min(last, end))
        return Past(
            session: session.id, walk: walk, rows: slice.rows, oldest: oldest,
            revisions: min(last, end) < revisions.lowerBound ? nil : revisions,
            hasRest: distance > 0)
    }

    /// Returns a page of the session's lifecycle events, the oldest first.
    /// - Parameters:
    ///   - after: the page begins with the event after this number (`seq`); 0 for the first page.
    ///   - limit: the maximum number of events on the page.
    /// - Returns: the page; and in `last`, the number of the newest event that is stored, which may
    ///   come after the page.
    public func events(
        after: Int, limit: Int
    ) async throws(SessionError) -> (page: EventPage, last: Int) {
        let last = try await withCompletion(session.read).window.lastEvent
        let page = try await dependencies.store.events(
            of: session.id, after: after, limit: limit)
        // The store may already hold the events of a change that is not published yet.
        let events = page.events.filter { $0.seq <= last }
        return (EventPage(events: events, oldest: page.oldest), last)
    }
}

/// A slice of a session's log, and the values that are needed to rebuild its states.
private struct Past: Sendable {
    let session: SessionID
    let walk: LogWalk
    let rows: [[UInt8]]
    let oldest: Int
    /// The revisions of the wanted changes that are kept and that readers may see; nil if no change
    /// is left.
    let revisions: ClosedRange<Int>?
    /// Whether `rows` contains the complete state that follows the wanted changes, if any does.
    let hasRest: Bool

    /// Returns the wanted changes; nil if the rest of the log is needed.
    /// - Parameter read: see `LogWalk.run`.
    func changes<Reading: Sendable>(
        _ read: (LogEntry, LogState?) -> Reading?
    ) throws(SessionError) -> [PastChange<Reading>]? {
        guard let revisions else { return [] }
        do {
            return try walk.run(rows, revisions: revisions, isAll: hasRest, read)
        } catch {
            throw .storage(
                StorageError(
                    reason: "the stored history of session \(session.description.prefix(8)) cannot "
                        + "be read: its bytes are damaged"))
        }
    }
}

extension PastChange {
    /// Returns the title of the top view controller after the change.
    fileprivate func title(in app: App) -> String? {
        states.flatMap { states in
            states.top.flatMap { ViewController($0, under: states.auth, in: app) }?.effectiveTitle
        }
    }

    fileprivate func recorded(
        _ title: String?, _ checks: inout CredentialChecks
    ) async throws(SessionError) -> RecordedChange {
        var isHidden = states == nil
        switch entry.action {
        // These changes reveal nothing about the account.
        case .logOut, .fallBack: isHidden = false
        case .perform, .logIn, .freshRoot:
            for credential in states?.credentials ?? [] where !isHidden {
                isHidden = try await checks.refusal(of: credential) != nil
            }
        }
        // A new start at the root reveals no more than the title of the root.
        return RecordedChange(
            entry: entry, isHidden: isHidden && entry.action != .freshRoot, transition: transition,
            title: isHidden ? nil : title)
    }
}

/// Checks whether credentials are still valid. Each credential is read from the store only once.
private struct CredentialChecks {
    private let dependencies: SessionDependencies
    private var refusals: [SecretHash: CredentialRefusal?] = [:]

    init(_ dependencies: SessionDependencies) { self.dependencies = dependencies }

    /// Checks a credential of an earlier state of the session.
    /// - Returns: the reason why the credential is no longer valid; nil if it is valid, or if the
    ///   session was not logged in.
    mutating func refusal(
        of credential: SecretHash?
    ) async throws(SessionError) -> CredentialRefusal? {
        guard let credential else { return nil }
        if let known = refusals[credential] { return known }
        let refusal: CredentialRefusal?
        switch try await dependencies.accounts.credential(credential) {
        case .success: refusal = nil
        // The credential existed at log-in, so it was removed since, usually with its account.
        case .failure(.unknown): refusal = .revoked
        case .failure(let reason): refusal = reason
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
