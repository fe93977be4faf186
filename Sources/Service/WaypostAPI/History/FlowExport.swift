import HTTPCore
import NavigationRules
import Sessions
import WaypostCore

/// Exports the changes of a session as the steps of a flow file, a scripted test
/// (`docs/testing.md`). A step can have an expectation, which describes the state after the step.
struct FlowExport {
    private let session: Session
    private let app: App
    private let reader: HistoryReader
    private let sizeLimit: Int

    /// - Parameter sizeLimit: the maximum size of a flow file, in bytes.
    init(_ session: Session, _ app: App, for reader: HistoryReader, sizeLimit: Int = 4 << 20) {
        self.session = session
        self.app = app
        self.reader = reader
        self.sizeLimit = sizeLimit
    }

    /// Returns the text of the flow file.
    /// - Parameter from: the revision of the first change whose step has an expectation; nil gives
    ///   all steps an expectation, and leaves out changes under log-ins that have ended, with all
    ///   before them.
    /// - Throws: `.credentialRevoked` if `from` includes changes under a log-in that has ended;
    ///   `.revisionGone` if a new session cannot repeat the changes; `.sessionTooLarge` if the file
    ///   would be too large; the problem for an error of the session.
    func text(from: Int?) async throws -> String {
        let walk = try await session.history.withPlace(for: reader) {
            () async throws(SessionError) in
            try await self.walk(from: from)
        }
        if let revision = walk.endedLogIn {
            throw Problem(
                .credentialRevoked,
                "the flow would show revision \(revision), of a log-in that has ended"
                    + (walk.revision > revision ? ": send from=\(revision + 1)" : ""))
        }
        guard walk.size <= sizeLimit else {
            throw Problem(
                NavigationError.Code.sessionTooLarge.kind,
                "the flow is larger than \(sizeLimit >> 20) MiB: request a part of it, with a "
                    + "revision after a log-in or a log-out as from")
        }
        if let revision = walk.lost {
            throw Problem(
                .revisionGone,
                "the change to revision \(revision) cannot be repeated, because the storyboard, the "
                    + "catalog or the program has changed since then: send from=\(revision)")
        }
        guard walk.hasBegun else {
            throw Problem(
                .revisionGone,
                "a new session cannot repeat this one: it is a fork, its history no longer has its "
                    + "start, a log-in or a log-out, it is strict and was opened with a credential, "
                    + "or the storyboard, the catalog or the program has changed since then; fork "
                    + "the session instead")
        }
        return walk.text
    }

    private func walk(from: Int?) async throws(SessionError) -> FlowWalk {
        let present = try await withCompletion(session.read)
        let last = present.window.revision
        if let from, from > last { throw .revisionNotFound(present: last) }
        var walk = try await collect(emptyWalk(from: from), through: present)
        // Nobody is shown what was done under a log-in that has ended.
        while let revision = try await endedLogIn(in: walk) {
            guard from == nil else {
                walk.endedLogIn = revision
                return walk
            }
            let rest = emptyWalk(from: nil, after: revision)
            walk = try await collect(rest, after: revision, through: present)
        }
        return walk
    }

    private func emptyWalk(from: Int?, after bound: Int = 0) -> FlowWalk {
        FlowWalk(app, from: from, after: bound, sizeLimit: sizeLimit)
    }

    /// Adds the changes of the session after a revision to a walk.
    private func collect(
        _ walk: FlowWalk, after revision: Int = 1, through present: SessionState
    ) async throws(SessionError) -> FlowWalk {
        let last = present.window.revision
        var walk = walk
        var position = revision
        while position < last, !walk.isTooLarge {
            let next = min(position + HistoryQueue.pieceSize, last)
            let piece = try await session.history.repeating(
                of: present, after: position, through: next, for: reader
            ) { [walk] changes in
                var walk = walk
                for (entry, change, credential) in changes { walk.add(entry, change, credential) }
                return walk
            }
            walk = piece.value
            position = max(next, piece.oldest)
        }
        walk.end(at: present)
        return walk
    }

    /// Returns the last revision of the log-ins in a walk that have ended; nil if all are valid.
    private func endedLogIn(in walk: FlowWalk) async throws(SessionError) -> Int? {
        var found: Int?
        for (credential, revision) in walk.credentials where revision > found ?? 0 {
            if try await session.history.refusal(of: credential) != nil { found = revision }
        }
        return found
    }
}
