import JSON
import NavigationRules
import Sessions
import WaypostCore

/// Converts a session as earlier versions stored it: its window, its history in parts, and its
/// events in groups.
package enum EarlierSession {
    /// The records of one revision, in order. The complete state comes last.
    private struct Revision {
        var entry: LogEntry?
        var events: [LifecycleEvent] = []
        var state: LogState?
    }

    /// Returns the rows of the session's log, the tail with the present state, and the summary of the
    /// visible view controller. The summary is nil if the session is logged out or its window is
    /// damaged.
    ///
    /// A part of the history that is damaged is left out. If the window is damaged, its bytes become
    /// the tail, so that a read of the session fails as before.
    /// - Parameters:
    ///   - revision: the revision of the present state.
    ///   - window: the window, as JSON.
    ///   - journal: the encoded parts of the history, the oldest first.
    ///   - events: the events, the oldest first.
    package static func log(
        revision present: Int, window: [UInt8], expiresAt: Timestamp, credential: SecretHash?,
        credentialRefusal: CredentialRefusal?, journal: [[UInt8]], events: [LifecycleEvent]
    ) -> (rows: [LogRow], tail: LogRow, summary: [UInt8]?) {
        var revisions: [Int: Revision] = [:]
        for record in journal.flatMap({ EarlierLog.decode($0) ?? [] }) {
            switch record {
            case .state(let state) where state.revision < present:
                revisions[state.revision, default: Revision()].state = state
            case .entry(let entry) where entry.revision <= present:
                revisions[entry.revision, default: Revision()].entry = entry
            case .state, .entry, .events: break
            }
        }
        for event in events { revisions[event.revision, default: Revision()].events.append(event) }
        // The present state; nil if the window is damaged.
        let state = (try? JSONValue(parsing: window, maximumDepth: 16))
            .flatMap { StoredWindow($0, revision: present) }
            .map {
                LogState(
                    window: $0, expiresAt: expiresAt, credential: credential,
                    credentialRefusal: credentialRefusal)
            }
        var nextEvent = events.first?.seq ?? (state?.window.lastEvent ?? 0) + 1
        var rows: [LogRow] = []
        for (number, revision) in revisions.sorted(by: { $0.key < $1.key }) {
            var others: [LogRecord] = []
            if let entry = revision.entry { others.append(.entry(entry)) }
            if !revision.events.isEmpty { others.append(.events(revision.events)) }
            if !others.isEmpty {
                add(LogRow(others, revision: number, firstEvent: nextEvent), to: &rows)
            }
            nextEvent += revision.events.count
            if let state = revision.state { rows.append(LogRow(state)) }
        }
        let tail = LogRow(
            first: present, last: present, firstEvent: nextEvent, hasState: true,
            records: state.map { LogRow($0).records } ?? window)
        let top = credential == nil ? nil : state?.window.topViewController
        return (rows, tail, top?.summary.encodedSummary(revision: present))
    }

    private static func add(_ row: LogRow, to rows: inout [LogRow]) {
        guard let last = rows.last, last.records.count + row.records.count <= LogRow.tailLimit
        else {
            return rows.append(row)
        }
        rows[rows.count - 1].append(row)
    }
}
