import Synchronization

/// What there is of all sessions, in parts by session. Each has a lock of its own: workers seldom wait
/// for each other.
struct SessionParts<Value: Sendable>: Sendable {
    private final class Part: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }

    private let parts: [Part]

    /// - Parameters:
    ///   - count: a power of two.
    ///   - value: what each part begins with.
    init(_ count: Int = 32, of value: Value) {
        parts = (0..<count).map { _ in Part(value) }
    }

    func withPart<Result: Sendable>(
        of id: SessionID, _ body: (inout Value) -> Result
    ) -> Result {
        parts[id.part(of: parts.count)].value.withLock { body(&$0) }
    }

    /// One after another.
    func map<Result: Sendable>(_ body: (inout Value) -> Result) -> [Result] {
        parts.map { part in part.value.withLock { body(&$0) } }
    }
}
