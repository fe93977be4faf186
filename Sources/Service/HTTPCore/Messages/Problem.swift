import JSON

/// An error in the form that clients receive (RFC 9457).
///
/// The type is a class so that a `Result<Value, Problem>` stays small: it stores only a reference
/// to the problem.
public final class Problem: Error, Sendable, Equatable {
    /// A defect of one member of the request body.
    public typealias Member = BodyDefect

    public let kind: Kind
    /// An explanation of this particular error, and of how the client can correct it.
    public let detail: String
    public let members: [Member]
    /// The callbacks of an app's delegates that refused a gesture of the user; empty for any other
    /// problem.
    public let callbacks: [String]
    /// The lowest `after` with which the list can be read; nil unless the problem is that the list
    /// no longer has what the request asks for.
    public let after: Int?
    public let headers: HeaderFields
    /// The cause for the operator's log, never sent to the client; nil if the log needs no entry.
    public let cause: String?

    public init(
        _ kind: Kind, _ detail: String, members: [Member] = [], callbacks: [String] = [],
        after: Int? = nil, headers: HeaderFields = HeaderFields(), cause: String? = nil
    ) {
        self.kind = kind
        self.detail = detail
        self.members = members
        self.callbacks = callbacks
        self.after = after
        self.headers = headers
        self.cause = cause
    }

    public var code: String { kind.code }
    public var status: Status { kind.status }

    public static func == (one: Problem, other: Problem) -> Bool {
        one.kind == other.kind && one.detail == other.detail && one.members == other.members
            && one.callbacks == other.callbacks && one.after == other.after
            && one.headers == other.headers && one.cause == other.cause
    }
}

/// An error of another module that a handler can throw in place of the problem that reports it.
public protocol ReportedError: Error {
    var problem: Problem { get }
}

extension Problem {
    /// Returns the problem that reports an error of a handler. The problem of an unexpected error has
    /// a fixed text, and only the log records the error.
    public static func reporting(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let error as any ReportedError: error.problem
        default:
            Problem(
                .internalError,
                "an unexpected error occurred in the service; its log has the cause under the "
                    + "X-Request-ID of this response",
                cause: "\(error)")
        }
    }
}
