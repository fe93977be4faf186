import Synchronization

/// All of a request but its body, and what has been found out from it.
///
/// Clients repeat themselves. A server that is sent the same head again hands on the same object, and
/// nothing has to be found out from it twice.
public final class RequestHead: Sendable {
    public let method: Method
    public let target: RequestTarget
    public let headers: HeaderFields
    /// One of each type.
    @usableFromInline let findings = Mutex<[any AnyObject & Sendable]>([])

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
        let known = findings.withLock { findings -> Finding? in
            for finding in findings {
                if let finding = finding as? Finding { return finding }
            }
            return nil
        }
        if let known { return known }
        let finding = try find()
        findings.withLock { $0.append(finding) }
        return finding
    }
}
