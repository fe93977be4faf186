import Synchronization

/// A cache of sessions that evicts those that were not used recently. Each session is in the young
/// or in the old generation. A session that is used joins the young generation. When the young
/// generation is full, the cache evicts the old generation, and the young generation becomes the
/// old one.
///
/// The limit is a number of bytes, because one session can be a hundred times as large as another.
/// A session counts toward the young generation with its size when it joins. Sessions can grow
/// later, so that the cache also looks at the size of all sessions together.
///
/// The cache evicts a session only if no other reference to it exists. A second actor for the same
/// session can thus never be created while the first one is in use. Access to the cache is always
/// under a lock (see `Sharded`), so no caller can get a new reference during an eviction.
struct SessionCache {
    /// A cached session. Both generations share one dictionary, so that a use only changes the
    /// session's generation number.
    private struct Entry {
        var session: Session
        /// The number of the generation in which the session was last used.
        var generation: Int
    }

    /// The size of all sessions in memory, and the size at which the cache looks for sessions to
    /// evict, both in bytes.
    private let resident: ResidentSize
    private let residentLimit: Int
    /// The maximum size of the young generation in bytes.
    private let generationLimit: Int
    private var entries: [SessionID: Entry] = [:]
    /// The number of the young generation; the old generation's number is one less.
    private var generation = 1
    private var youngSize = 0
    /// The number of uses since the last eviction while the sessions together were too large.
    private var usesWhileFull = 0

    /// - Parameters:
    ///   - capacity: the number of small sessions that this cache may hold.
    ///   - total: the number of small sessions that all caches of the service may hold.
    ///   - resident: the size of all sessions in memory.
    init(capacity: Int, total: Int, resident: ResidentSize) {
        self.resident = resident
        residentLimit = total * ResidentSize.smallSession
        generationLimit = max(capacity / 2, 1) * ResidentSize.smallSession
    }

    var count: Int { entries.count }
    var sessions: [Session] { entries.values.map(\.session) }

    mutating func session(_ id: SessionID) -> Session? {
        guard let index = entries.index(forKey: id) else { return nil }
        let (session, generation) = (entries[index].value.session, entries[index].value.generation)
        let isYoung = generation == self.generation
        if !isYoung { entries.values[index].generation = self.generation }
        noteUse(of: session, isYoung: isYoung)
        return session
    }

    /// Adds a session to the young generation.
    /// - Precondition: the session is not in the cache.
    mutating func insert(_ session: Session) {
        entries[session.id] = Entry(session: session, generation: generation)
        noteUse(of: session, isYoung: false)
    }

    mutating func remove(_ id: SessionID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if entry.generation == generation {
            youngSize = max(youngSize - entry.session.size, 0)
        }
    }

    private mutating func noteUse(of session: Session, isYoung: Bool) {
        if !isYoung { youngSize += session.size }
        if resident.bytes > residentLimit { usesWhileFull += 1 }
        if youngSize >= generationLimit || usesWhileFull > entries.count / 2 { turnOver() }
    }

    private mutating func turnOver() {
        var forgotten: [SessionID] = []
        var index = entries.startIndex
        while index != entries.endIndex {
            if entries[index].value.generation < generation {
                if isKnownUniquelyReferenced(&entries.values[index].session) {
                    forgotten.append(entries[index].key)
                } else {
                    entries.values[index].generation = generation
                }
            }
            entries.formIndex(after: &index)
        }
        for id in forgotten { entries[id] = nil }
        generation += 1
        youngSize = 0
        usesWhileFull = 0
    }
}

extension Session {
    fileprivate nonisolated var size: Int { Int(residentSize.load(ordering: .relaxed)) }
}
