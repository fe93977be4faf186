/// The problems that the HTTP server itself reports. They can occur with a request for any
/// resource.
extension Problem {
    private static let retry: HeaderFields = ["Retry-After": "1"]
    private static let unknown =
        "the request may or may not have had an effect: send it again with the same Idempotency-Key"

    /// Returns the problem to respond with if a new connection exceeds a limit. The server then
    /// closes the connection.
    /// - Parameter limit: a clause that names the limit, such as "there are 100 connections".
    public static func tooManyConnections(_ limit: String) -> Problem {
        Problem(
            .busy, "\(limit): try again in a second, or use a connection that is already open",
            headers: ["Retry-After": "1", "Connection": "close"])
    }

    public static var tooManyRequestsInProgress: Problem {
        Problem(
            .busy, "too many requests are in progress: try again in a second", headers: retry)
    }

    /// The problem to respond with if the system has no file descriptor left for a request.
    public static var noDescriptor: Problem {
        Problem(
            .busy, "too many files and connections are open: try again in a second",
            headers: retry)
    }

    /// Returns the problem to respond with if the body of a request is too large.
    /// - Parameter maximum: the maximum size of a body in bytes.
    public static func contentTooLarge(maximum: Int) -> Problem {
        Problem(.contentTooLarge, "the body may have \(maximum) bytes at most")
    }

    /// The problem to respond with if the server shuts down before the work on a request has begun.
    public static var shuttingDown: Problem {
        Problem(.shuttingDown, "the service is shutting down, and the request had no effect")
    }

    /// The problem to respond with if a request is still in progress at the end of the time that a
    /// shutdown waits for requests.
    public static var abandoned: Problem {
        Problem(.shuttingDown, "the service is shutting down; \(unknown)")
    }

    public static var timedOut: Problem {
        Problem(.timedOut, "the service has taken too long; \(unknown)", headers: retry)
    }
}
