import HTTPCore

/// The problems that the server itself reports. They can occur with a request for any resource.
extension Problem {
    private static let retry: HeaderFields = ["Retry-After": "1"]
    private static let unknown =
        "the request may or may not have had an effect: send it again with the same Idempotency-Key"

    /// A new connection exceeds a limit. The server closes the connection after the response.
    /// - Parameter limit: a clause that names the limit, such as "there are 100 connections".
    static func tooManyConnections(_ limit: String) -> Problem {
        Problem(
            .busy, "\(limit): try again in a second, or use a connection that is already open",
            headers: ["Retry-After": "1", "Connection": "close"])
    }

    static let tooManyRequestsInProgress = Problem(
        .busy, "too many requests are in progress: try again in a second", headers: retry)

    /// The system has no file descriptor left for a request.
    static let noDescriptor = Problem(
        .busy, "too many files and connections are open: try again in a second", headers: retry)

    static func contentTooLarge(maximum: Int) -> Problem {
        Problem(.contentTooLarge, "the body may have \(maximum) bytes at most")
    }

    /// The server shuts down before the work on a request has begun.
    static let shuttingDown = Problem(
        .shuttingDown, "the service is shutting down, and the request had no effect")

    /// A request is still in progress at the end of the time that a shutdown waits for requests.
    static let abandoned = Problem(.shuttingDown, "the service is shutting down; \(unknown)")

    static let timedOut = Problem(
        .timedOut, "the service has taken too long; \(unknown)", headers: retry)
}
