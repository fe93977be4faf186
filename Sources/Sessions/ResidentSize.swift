import Synchronization

/// The estimated size of all sessions in memory, in bytes.
final class ResidentSize: Sendable {
    /// The estimated size of a session whose stacks are nearly empty, in bytes.
    static let smallSession = 2048

    private let used = Atomic(0)

    var bytes: Int { used.load(ordering: .relaxed) }

    fileprivate func change(by difference: Int) { used.add(difference, ordering: .relaxed) }
}

/// The estimated size of one session in memory. The size counts toward the total size as long as
/// the value exists.
struct ResidentPart: ~Copyable, Sendable {
    private let total: ResidentSize
    private let size: Atomic<Int>

    init(_ session: SessionSnapshot, of total: ResidentSize) {
        self.total = total
        let size = Self.size(session)
        self.size = Atomic(size)
        total.change(by: size)
    }

    deinit { total.change(by: -bytes) }

    var bytes: Int { size.load(ordering: .relaxed) }

    /// Notes a new state of the session. Only the session's executor may call this.
    func update(_ session: SessionSnapshot) {
        let new = Self.size(session)
        let old = size.exchange(new, ordering: .relaxed)
        if new != old { total.change(by: new - old) }
    }

    private static func size(_ session: SessionSnapshot) -> Int {
        ResidentSize.smallSession + session.window.approximateSize
    }
}
