/// A cache of sessions in two generations. A session joins the young generation when it is used. When
/// the young generation is full, it becomes the old one, and the sessions of the previous old one are
/// evicted.
///
/// A session is evicted only if the cache holds its only reference, so that two actors never exist
/// for one session. The reference count is reliable because the cache is used only under a lock
/// (see `Sharded`), so that no caller gets a reference while the cache evicts sessions.
struct SessionCache {
    /// A cached session. Both generations share one table, so that a use marks the entry instead of
    /// moving it.
    private struct Entry {
        var session: Session
        /// The number of the generation in which the session was last used.
        var generation: Int
    }

    private let generationLimit: Int
    private var entries: [SessionID: Entry] = [:]
    /// The number of the young generation; the old generation's number is one less.
    private var generation = 1
    private var youngCount = 0

    init(limit: Int) {
        generationLimit = max(limit / 2, 1)
    }

    var count: Int { entries.count }

    mutating func session(_ id: SessionID) -> Session? {
        guard let index = entries.index(forKey: id) else { return nil }
        let (session, generation) = (entries[index].value.session, entries[index].value.generation)
        if generation != self.generation {
            entries.values[index].generation = self.generation
            noteYoung()
        }
        return session
    }

    /// Adds a session to the young generation.
    /// - Precondition: the session is not in the cache.
    mutating func insert(_ session: Session) {
        entries[session.id] = Entry(session: session, generation: generation)
        noteYoung()
    }

    mutating func remove(_ id: SessionID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if entry.generation == generation { youngCount -= 1 }
    }

    private mutating func noteYoung() {
        youngCount += 1
        if youngCount >= generationLimit { turnOver() }
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
        youngCount = 0
    }
}
