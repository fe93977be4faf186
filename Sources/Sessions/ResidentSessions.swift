/// The sessions in memory, in two generations: what is used moves into the young one, and when that
/// is full, it becomes the old one and what was left there is forgotten.
///
/// Only what nobody else holds is forgotten, so that there is never a second actor for a session.
/// References are handed out under the owner's lock alone, which makes the count reliable.
struct ResidentSessions {
    private let generationLimit: Int
    private var young: [SessionID: Session] = [:]
    private var old: [SessionID: Session] = [:]

    init(limit: Int) {
        generationLimit = max(limit / 2, 1)
    }

    var count: Int { young.count + old.count }

    mutating func session(_ id: SessionID) -> Session? {
        if let session = young[id] { return session }
        guard let session = old.removeValue(forKey: id) else { return nil }
        insert(session)
        return session
    }

    mutating func insert(_ session: Session) {
        young[session.id] = session
        if young.count >= generationLimit { turnOver() }
    }

    mutating func remove(_ id: SessionID) {
        young[id] = nil
        old[id] = nil
    }

    private mutating func turnOver() {
        var forgotten = old
        old = young
        young = [:]
        // Emptied first, so that each session is held by this variable alone.
        for id in Array(forgotten.keys) {
            guard var session = forgotten.removeValue(forKey: id) else { continue }
            if !isKnownUniquelyReferenced(&session) { old[id] = session }
        }
    }
}
