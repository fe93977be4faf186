import Navigation
import Synchronization

@testable import Sessions

/// Keeps sessions in memory; fails, or makes its callers wait, where a test tells it to.
final class TestStore: SessionStore {
    enum Call: Hashable {
        case insert, record, update, delete, events
    }

    private struct State {
        var failing: Set<Call> = []
        var held: [Call: Gate] = [:]
        var counts: [Call: Int] = [:]
    }

    static let failure = StorageError(reason: "the disk is full")

    private let memory = MemoryStore()
    private let state = Mutex(State())

    func fail(_ calls: Call...) {
        state.withLock { $0.failing = Set(calls) }
    }

    /// From now on these calls wait at the gate, before they do anything.
    func hold(_ call: Call, at gate: Gate) {
        state.withLock { $0.held[call] = gate }
    }

    /// How many calls there were, also failed ones.
    func count(_ call: Call) -> Int {
        state.withLock { $0.counts[call] ?? 0 }
    }

    private func begin(_ call: Call) async throws(StorageError) {
        let gate = state.withLock { state in
            state.counts[call, default: 0] += 1
            return state.held[call]
        }
        await gate?.pass()
        if state.withLock({ $0.failing.contains(call) }) { throw Self.failure }
    }

    func insert(_ record: SessionRecord, events: [LifecycleEvent]) async throws(StorageError) {
        try await begin(.insert)
        memory.insert(record, events: events)
    }

    func record(_ id: SessionID) async throws(StorageError) -> SessionRecord? {
        try await begin(.record)
        return memory.record(id)
    }

    func update(_ record: SessionRecord, events: [LifecycleEvent]) async throws(StorageError) {
        try await begin(.update)
        memory.update(record, events: events)
    }

    func delete(_ id: SessionID) async throws(StorageError) {
        try await begin(.delete)
        memory.delete(id)
    }

    func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(StorageError) -> [LifecycleEvent] {
        try await begin(.events)
        return memory.events(of: id, after: after, limit: limit)
    }
}
