import Navigation
import Synchronization

/// Keeps sessions as long as the process lives.
public final class MemoryStore: SessionStore {
    private struct Entry {
        var record: SessionRecord
        var events: [LifecycleEvent]
    }

    private let entries = Mutex<[SessionID: Entry]>([:])

    public init() {}

    public func insert(_ record: SessionRecord, events: [LifecycleEvent]) {
        entries.withLock { $0[record.id] = Entry(record: record, events: events) }
    }

    public func record(_ id: SessionID) -> SessionRecord? {
        entries.withLock { $0[id]?.record }
    }

    public func update(_ record: SessionRecord, events: [LifecycleEvent]) {
        entries.withLock { entries in
            entries[record.id]?.record = record
            entries[record.id]?.events += events
        }
    }

    public func delete(_ id: SessionID) {
        _ = entries.withLock { $0.removeValue(forKey: id) }
    }

    public func events(of id: SessionID, after: Int, limit: Int) -> [LifecycleEvent] {
        entries.withLock { entries in
            // Event n is at index n - 1: they are numbered from 1 without gaps.
            guard let events = entries[id]?.events, after < events.count else { return [] }
            return Array(events[max(after, 0)...].prefix(limit))
        }
    }
}
