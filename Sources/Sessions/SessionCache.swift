/// A cache of sessions that evicts those that were not used recently. Each session is in the young
/// or in the old generation. A session that is used joins the young generation. When the young
/// generation is full, the cache evicts the old generation, and the young generation becomes the
/// old one.
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
