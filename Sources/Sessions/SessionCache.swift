/// The sessions in memory, in two generations. A session that is used belongs to the young one. When that
/// is full, it becomes the old one, and the sessions that were left in the old one are evicted.
///
/// A session is evicted only if nobody else holds it, so that there is never a second actor for it.
/// References are handed out under the owner's lock alone, which makes the count reliable.
struct SessionCache {
    /// Both generations are in one table, so that a session that is used again is marked, not moved.
    private struct Entry {
        var session: Session
        /// The one that the session was last used in.
        var generation: Int
    }

    private let generationLimit: Int
    private var entries: [SessionID: Entry] = [:]
    /// The young one's number; the old one's is one less.
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

    /// - Precondition: it is not there yet.
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
