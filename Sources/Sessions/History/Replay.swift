import Accounts
import Navigation
import WaypostCore

/// The states before and after an earlier change of a session, and the change's outcome.
public struct ReplayedChange: Sendable {
    public let before: SessionSnapshot
    public let after: SessionSnapshot
    public let outcome: Outcome
}

/// Rebuilds earlier states of a session by replaying the changes in its journal. The result depends
/// only on the journal and on the properties of this type.
struct Replay {
    let app: App
    let digest: UInt32
    let sessionTTL: Duration
    /// The present state of the session that the journal belongs to.
    let present: SessionSnapshot

    /// Replays changes from a session's journal.
    ///
    /// A change that was made with another app definition or another version of Waypost may lead
    /// to another state now. The method therefore compares the replayed state with the next
    /// complete state in the journal, or with the present state if no complete state follows. If
    /// the two differ, the method does not use the replayed states.
    /// - Parameters:
    ///   - chunks: the consecutive parts of the journal, in order.
    ///   - revisions: the revisions of the wanted changes.
    ///   - describe: makes the value to return for a change. Its second argument is nil if the
    ///     states before and after the change cannot be rebuilt. If that turns out only later, the
    ///     method calls `describe` for the change again.
    /// - Returns: one value for each wanted change, in order.
    /// - Throws: `DamagedBytes` if a chunk is damaged.
    func run<Value>(
        _ chunks: [[UInt8]], revisions: ClosedRange<Int>,
        _ describe: (JournalEntry, ReplayedChange?) -> Value
    ) throws(DamagedBytes) -> [Value] {
        var values: [Value] = []
        var state: SessionSnapshot?
        /// The requested changes since the last complete state, with their indices in `values`.
        /// The states that the replay of these changes gave have not been compared with a stored
        /// state yet. The array stays empty if the present app definition and Waypost version
        /// wrote the last complete state, because no comparison is needed then.
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
                    // Usually the replay has led to the state in `base`, which then need not be
                    // restored.
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
        // `restore` returns events only if the window starts again at its root, because the app
        // lacks a scene or data of this state.
        guard events == nil else { return nil }
        return SessionSnapshot(
            id: present.id, tokenHash: present.tokenHash, createdAt: present.createdAt,
            expiresAt: base.expiresAt, window: window, credential: base.credential,
            credentialRefusal: base.credentialRefusal)
    }

    /// Applies a recorded change to the state before it.
    /// - Returns: nil if there is no such state, if the change fails now, or if it leads to another
    ///   revision than the recorded one.
    private func replay(_ entry: JournalEntry, on state: SessionSnapshot?) -> ReplayedChange? {
        guard let state, entry.revision == state.window.revision + 1,
            let (outcome, next) = try? state.applying(
                entry.change, in: app, sessionTTL: sessionTTL, now: { entry.time }),
            let (after, _) = next, after.window.revision == entry.revision
        else { return nil }
        return ReplayedChange(before: state, after: after, outcome: outcome)
    }
}
