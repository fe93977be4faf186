import Synchronization

/// All of a request but its body, and what has been found out from it.
///
/// Clients repeat themselves. A server that is sent the same head again hands on the same object, and
/// nothing has to be found out from it twice.
public final class RequestHead: Sendable {
    public let method: Method
    public let target: RequestTarget
    public let headers: HeaderFields
    /// One of each type. Two fields, and not an array, need no memory of their own; nobody looks for
    /// more.
    @usableFromInline
    struct Findings {
        @usableFromInline var first: (any AnyObject & Sendable)?
        @usableFromInline var second: (any AnyObject & Sendable)?
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
        let known = findings.withLock { findings in
            findings.first as? Finding ?? findings.second as? Finding
        }
        if let known { return known }
        let finding = try find()
        findings.withLock { findings in
            if findings.first == nil { findings.first = finding } else { findings.second = finding }
        }
        return finding
    }
}
