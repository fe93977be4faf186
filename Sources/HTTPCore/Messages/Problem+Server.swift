/// The problems of a server itself, which do not depend on the resource.
extension Problem {
    private static let retry: HeaderFields = ["Retry-After": "1"]
    private static let unknown =
        "whether this was done is not known: send it again with the same Idempotency-Key"

    /// Returns the problem for a connection that exceeds a limit. The server closes the connection.
    /// - Parameter limit: a clause that names the limit, such as "there are 100 connections".
    public static func tooManyConnections(_ limit: String) -> Problem {
        Problem(
            .busy, "\(limit): try again in a second, or over a connection that is open",
            headers: ["Retry-After": "1", "Connection": "close"])
    }

    public static var tooManyRequestsInProgress: Problem {
        Problem(
            .busy, "too many requests are worked on: try again in a second", headers: retry)
    }

    /// The problem of a request for which the system has no file descriptor left.
    public static var noDescriptor: Problem {
        Problem(
            .busy, "too many files and connections are open: try again in a second",
            headers: retry)
    }

    /// Returns the problem of a request whose body is too large.
    /// - Parameter maximum: the size in bytes that a body may have.
    public static func contentTooLarge(maximum: Int) -> Problem {
        Problem(.contentTooLarge, "the body may have \(maximum) bytes at most")
    }

    /// The problem of a request that the server has not begun when it shuts down.
    public static var shuttingDown: Problem {
        Problem(.shuttingDown, "the service is shutting down: nothing was done")
    }

    /// The problem of a request that is still in progress when the time that a shutdown waits for
    /// requests is over.
    public static var abandoned: Problem {
        Problem(.shuttingDown, "the service is shutting down; \(unknown)")
    }

    public static var timedOut: Problem {
        Problem(.timedOut, "the service has taken too long; \(unknown)", headers: retry)
    }
}
