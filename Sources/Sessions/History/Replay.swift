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
struct Replay: Sendable {
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
    ///   - isAll: whether the chunks reach the next complete state or the end of the journal.
    /// - Returns: the wanted changes, in order; nil if the chunks end before a state with which the
    ///   replayed states must be compared. The second element is nil for a change whose states
    ///   cannot be rebuilt.
    /// - Throws: `DamagedBytes` if a chunk is damaged.
    func run(
        _ chunks: [[UInt8]], revisions: ClosedRange<Int>, isAll: Bool
    ) throws(DamagedBytes) -> [(JournalEntry, ReplayedChange?)]? {
        var changes: [(JournalEntry, ReplayedChange?)] = []
        var state: SessionSnapshot?
        /// The index in `changes` of the first change whose states have not been compared with a
        /// stored state yet. The present app definition and Waypost version make no comparison
        /// necessary.
        var unverified = 0
        var isForeign = false
        func verify(_ archive: WindowArchive) {
            if state?.window.archive != archive {
                for index in changes.indices[unverified...] { changes[index].1 = nil }
            }
            unverified = changes.count
        }
        let end = present.window.revision
        scan: for chunk in chunks {
            guard let records = JournalRecord.decode(chunk) else { throw DamagedBytes() }
            for record in records {
                switch record {
                // The session may have changed since `present` was read.
                case .base(let base) where base.window.revision > end: break scan
                case .entry(let entry) where entry.revision > end: break scan
                case .base(let base):
                    if isForeign { verify(base.window) }
                    isForeign = base.digest != digest
                    unverified = changes.count
                    // Usually the replay has led to the state in `base`, which then need not be
                    // restored.
                    if state?.window.archive != base.window { state = restore(base) }
                case .entry(let entry):
                    let isWanted = entry.revision <= revisions.upperBound
                    guard isWanted || isForeign && unverified < changes.count else {
                        return changes
                    }
                    let change = replay(entry, on: state)
                    state = change?.after
                    if revisions.contains(entry.revision) { changes.append((entry, change)) }
                }
            }
        }
        if isForeign, unverified < changes.count {
            guard isAll || state?.window.revision == end else { return nil }
            verify(present.window.archive)
        }
        return changes
    }

    private func restore(_ base: JournalBase) -> SessionSnapshot? {
        let (window, events) = Window.restore(base.window, in: app)
        // `restore` returns events only if the window starts again at its root, because the app
        // lacks a scene or data of this state.
        guard events == nil else { return nil }
        return SessionSnapshot(
            id: present.id, name: present.name, tokenHash: present.tokenHash,
            createdAt: present.createdAt, expiresAt: base.expiresAt, window: window,
            credential: base.credential, credentialRefusal: base.credentialRefusal)
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
