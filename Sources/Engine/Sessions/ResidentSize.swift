import Synchronization

/// The estimated size of all sessions in memory, in bytes.
final class ResidentSize: Sendable {
    /// The estimated size of a session whose stacks are nearly empty, in bytes.
    static let smallSession = 2048

    private let used = Atomic(0)

    var bytes: Int { used.load(ordering: .relaxed) }

    /// Returns the estimated size of a session in memory, in bytes.
    static func of(_ session: SessionState) -> Int32 {
        Int32(clamping: smallSession + session.window.approximateSize)
    }

    func change(by difference: Int32) { used.add(Int(difference), ordering: .relaxed) }
}
