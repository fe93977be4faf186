/// A queue that serves clients in turn, so that no client can delay the others with a large amount
/// of work. The first piece of work of a client waits for at most one piece of work of each other
/// client.
package struct FairQueue<Work> {
    private struct Entry {
        let work: Work
        let account: String?
    }

    private let limits: WorkLimits
    private var entries: [String?: [Entry]] = [:]
    /// The clients with work in the queue, in the order of their turns. The value nil stands for
    /// all unknown clients together.
    private var turns: [String?] = []
    package private(set) var count = 0

    package init(_ limits: WorkLimits) { self.limits = limits }

    /// Adds work. In a full queue, it replaces the newest work of the client with the most work, if
    /// its own client then has less than that client.
    /// - Returns: the rejected work and the reason; nil if no work was rejected.
    package mutating func append(_ work: Work, of owner: WorkOwner) -> (
        work: Work, reason: WorkRefusal
    )? {
        let own = entries[owner.client]?.count ?? 0
        if owner.client != nil, own >= limits.perClient { return (work, .clientLimit) }
        if let account = owner.account, waiting(for: account) >= limits.perAccount {
            return (work, .accountLimit)
        }
        var replaced: Work?
        if count >= limits.total {
            guard let largest = turns.max(by: { size(of: $0) < size(of: $1) }),
                size(of: largest) > own + 1
            else { return (work, .full) }
            replaced = removeNewest(of: largest)
        }
        if own == 0 { turns.append(owner.client) }
        entries[owner.client, default: []].append(Entry(work: work, account: owner.account))
        count += 1
        return replaced.map { ($0, .full) }
    }

    /// Removes and returns the oldest work of the client whose turn it is. If this client has more
    /// work in the queue, its next turn comes after the turns of all other clients.
    /// - Returns: nil if the queue is empty.
    package mutating func next() -> Work? {
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

    /// Removes and returns a client's newest work.
    /// - Precondition: the client has at least two pieces of work in the queue, so that it keeps
    ///   its turn.
    /// - Returns: nil if the client has no work in the queue, contrary to the precondition.
    private mutating func removeNewest(of client: String?) -> Work? {
        count -= 1
        return entries[client]?.popLast()?.work
    }
}

/// The client and the account for which a piece of work is done. If the client is unknown, the
/// limit for each client does not apply. The same holds for the account.
package struct WorkOwner: Hashable, Sendable {
    /// The network address of the client; nil if unknown.
    package let client: String?
    /// The username of the account; nil if unknown.
    package let account: String?

    package init(client: String?, account: String?) {
        self.client = client
        self.account = account
    }

    package static var unknown: WorkOwner { WorkOwner(client: nil, account: nil) }
}

/// The maximum number of pieces of work in the queue: in total, for each client and for each
/// account.
package struct WorkLimits: Sendable {
    package var total: Int
    package var perClient: Int
    package var perAccount: Int

    package init(total: Int, perClient: Int = .max, perAccount: Int = .max) {
        self.total = total
        self.perClient = perClient
        self.perAccount = perAccount
    }
}

/// The reason why the queue rejects a piece of work.
package enum WorkRefusal: Error {
    /// The queue is full, or the work of another client has replaced this work.
    case full
    /// The client or the account has its maximum number of pieces of work in the queue.
    case clientLimit, accountLimit
}
