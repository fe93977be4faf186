import Sessions
import Synchronization

/// Whether the service is to be sent requests.
public final class Readiness: Sendable {
    private let isDraining = Atomic(false)

    public init() {}

    /// The service is going down: whoever asks is to go elsewhere.
    public func drain() {
        isDraining.store(true, ordering: .relaxed)
    }

    /// Why the service is not ready; empty if it is.
    func defects(_ store: any SessionStore) -> [String] {
        var defects: [String] = []
        if isDraining.load(ordering: .relaxed) { defects.append("draining: it is going down") }
        if let failure = store.failure {
            defects.append("the store cannot be written: \(failure.reason)")
        }
        return defects
    }
}
