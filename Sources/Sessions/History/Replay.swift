import Accounts
import Navigation
import WaypostCore

/// The states before and after an earlier change of a session, and the change's outcome.
public struct ReplayedChange: Sendable {
    public let before: SessionSnapshot
    public let after: SessionSnapshot
    public let outcome: Outcome
}

/// Rebuilds earlier states of a session from its journal. The result depends only on the journal and
/// the properties.
struct Replay {
    let app: App
    let digest: UInt32
    let sessionTTL: Duration
    /// The present state of the session that the journal belongs to.
    let present: SessionSnapshot

    /// Replays parts of a journal.
    ///
    /// Changes that were made with another storyboard, catalog or program may have another effect
    /// now. Their states count as rebuilt only if the replay leads to the next complete state in
    /// the journal, or to the present state if no complete state follows.
    /// - Parameters:
    ///   - revisions: the revisions of the changes that are wanted.
    ///   - describe: makes the value for a change, perhaps twice. Its second argument is nil if the
    ///     states of the change cannot be rebuilt.
    /// - Returns: the values of the wanted changes, in order.
    /// - Throws: `DamagedBytes`
    func run<Value>(
        _ chunks: [[UInt8]], revisions: ClosedRange<Int>,
        _ describe: (JournalEntry, ReplayedChange?) -> Value
    ) throws(DamagedBytes) -> [Value] {
        var values: [Value] = []
        var state: SessionSnapshot?
        /// The wanted changes since the last complete state, with their indices in `values`, if
        /// another app or program has written that state.
        var unverified: [(entry: JournalEntry, place: Int)] = []
        var isForeign = false
        func verify(_ archive: WindowArchive) {
            if let state, state.window.archive == archive {
                unverified = []
                return
            }
            for (entry, place) in unverified { values[place] = describe(entry, nil) }
            unverified = []
        }
        for chunk in chunks {
            guard let records = JournalRecord.decode(chunk) else { throw DamagedBytes() }
            for record in records {
                switch record {
                case .base(let base):
                    if isForeign { verify(base.window) }
                    isForeign = base.digest != digest
                    // Usually the replay has led to the base's state, which then need not be restored.
                    if state?.window.archive != base.window { state = restore(base) }
                case .entry(let entry):
                    guard entry.revision <= revisions.upperBound || isForeign else {
                        return values
                    }
                    let change = replay(entry, on: state)
                    state = change?.after
                    guard revisions.contains(entry.revision) else { continue }
                    if isForeign { unverified.append((entry, values.count)) }
                    values.append(describe(entry, change))
                }
            }
        }
        if isForeign { verify(present.window.archive) }
        return values
    }

    private func restore(_ base: JournalBase) -> SessionSnapshot? {
        let (window, events) = Window.restore(base.window, in: app)
        // `restore` returns events only for a fresh root: the app lacks a scene or data of this
        // state.
        guard events == nil else { return nil }
        return SessionSnapshot(
            id: present.id, tokenHash: present.tokenHash, createdAt: present.createdAt,
            expiresAt: base.expiresAt, window: window, credential: base.credential,
            credentialRefusal: base.credentialRefusal)
    }

    /// Replays a change.
    /// - Returns: nil if the change cannot be made to the state, or leads to another revision.
    private func replay(_ entry: JournalEntry, on state: SessionSnapshot?) -> ReplayedChange? {
        guard let state, entry.revision == state.window.revision + 1,
            let (outcome, next) = try? state.applying(
                entry.change, in: app, sessionTTL: sessionTTL, now: { entry.time }),
            let (after, _) = next, after.window.revision == entry.revision
        else { return nil }
        return ReplayedChange(before: state, after: after, outcome: outcome)
    }
}
