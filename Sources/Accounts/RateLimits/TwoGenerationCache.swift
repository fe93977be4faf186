/// A table that forgets what has not been used for long, in two generations: what is used moves into
/// the young one, and when that is full, it becomes the old one and what was left there is gone.
struct TwoGenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let generationLimit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// - Parameter limit: how many entries there are at most.
    init(limit: Int) { generationLimit = max(limit / 2, 1) }

    /// Setting nil forgets the entry.
    subscript(key: Key) -> Value? {
        get { young[key] ?? old[key] }
        set {
            old[key] = nil
            young[key] = newValue
            guard young.count >= generationLimit else { return }
            old = young
            young = [:]
        }
    }
}
