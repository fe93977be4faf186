/// A queue whose places are shared fairly among the clients that fill it. Clients take turns, so that
/// one that comes anew waits behind at most one piece of work of each other client, however much
/// each of them has in the queue.
struct FairQueue<Work> {
    /// The client and the account that a piece of work is done for. Work of an unknown client or account
    /// has no limit of its own.
    struct Owner: Hashable, Sendable {
        /// The address of the client.
        let client: String?
        /// The account that the work is for.
        let account: String?

        static var unknown: Owner { Owner(client: nil, account: nil) }
    }

    /// How much work may wait.
    struct Limits: Sendable {
        var total: Int
        var perClient = Int.max
        var perAccount = Int.max
    }

    enum Admission {
        case added
        /// The queue was full: the newest work of the client with the most gave up its place.
        case replaced(Work)
        /// The queue is full, and no client has more in it than this one would have.
        case full
        /// The client has as much in the queue as it may have.
        case clientLimit
        case accountLimit
    }

    private struct Entry {
        let work: Work
        let account: String?
    }

    private let limits: Limits
    private var entries: [String?: [Entry]] = [:]
    /// The clients with work in the queue, in the order of their turns.
    private var turns: [String?] = []
    private(set) var count = 0

    init(_ limits: Limits) { self.limits = limits }

    mutating func append(_ work: Work, of owner: Owner) -> Admission {
        let own = entries[owner.client]?.count ?? 0
        if owner.client != nil, own >= limits.perClient { return .clientLimit }
        if let account = owner.account, waiting(for: account) >= limits.perAccount {
            return .accountLimit
        }
        var replaced: Work?
        if count >= limits.total {
            guard let largest = turns.max(by: { size(of: $0) < size(of: $1) }),
                size(of: largest) > own + 1
            else { return .full }
            replaced = removeNewest(of: largest)
        }
        if own == 0 { turns.append(owner.client) }
        entries[owner.client, default: []].append(Entry(work: work, account: owner.account))
        count += 1
        return replaced.map { .replaced($0) } ?? .added
    }

    /// Takes the oldest work of the client whose turn it is, which is then the last to come again.
    /// - Returns: nil if the queue is empty.
    mutating func next() -> Work? {
        guard !turns.isEmpty else { return nil }
        let client = turns.removeFirst()
        guard var own = entries.removeValue(forKey: client), !own.isEmpty else { return nil }
        let entry = own.removeFirst()
        count -= 1
        if !own.isEmpty {
            entries[client] = own
            turns.append(client)
        }
        return entry.work
    }

    private func size(of client: String?) -> Int { entries[client]?.count ?? 0 }

    private func waiting(for account: String) -> Int {
        entries.values.reduce(0) { sum, own in sum + own.count { $0.account == account } }
    }

    /// - Precondition: the client has more than one piece of work, so that it keeps its turn.
    private mutating func removeNewest(of client: String?) -> Work? {
        count -= 1
        return entries[client]?.popLast()?.work
    }
}
