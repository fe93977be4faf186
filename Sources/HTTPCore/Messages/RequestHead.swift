import Synchronization

/// All of a request but its body, and what has been found out from it.
///
/// Clients repeat themselves. A server that is sent the same head again hands on the same object, and
/// nothing has to be found out from it twice.
public final class RequestHead: Sendable {
    public let method: Method
    public let target: RequestTarget
    public let headers: HeaderFields
    /// One of each type, and of two types at most. Fields, and not an array, need no memory of their
    /// own.
    @usableFromInline
    struct Findings {
        @usableFromInline var first: (any AnyObject & Sendable)?
        @usableFromInline var second: (any AnyObject & Sendable)?

        @inlinable
        func known<Finding: AnyObject>(_: Finding.Type) -> Finding? {
            first as? Finding ?? second as? Finding
        }
    }

    @usableFromInline let findings = Mutex(Findings())

    public init(method: Method, target: RequestTarget, headers: HeaderFields = HeaderFields()) {
        self.method = method
        self.target = target
        self.headers = headers
    }

    /// What follows from the head, and from nothing else that may change.
    /// - Parameter find: called if nothing of that type has been found out yet.
    @inlinable
    public func finding<Finding: AnyObject & Sendable, Failure: Error>(
        _ find: () throws(Failure) -> Finding
    ) throws(Failure) -> Finding {
        if let known = findings.withLock({ $0.known(Finding.self) }) { return known }
        let finding = try find()
        return findings.withLock { findings in
            // Another thread may have found it meanwhile.
            if let known = findings.known(Finding.self) { return known }
            if findings.first == nil {
                findings.first = finding
            } else {
                assert(findings.second == nil, "there is room for two types")
                findings.second = finding
            }
            return finding
        }
    }
}
