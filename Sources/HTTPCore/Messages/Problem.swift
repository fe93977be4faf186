/// An error as the client sees it (RFC 9457).
///
/// A class: a result that may be one is then no larger than a reference.
public final class Problem: Error, Sendable, Equatable {
    /// A kind of problem. Its code is stable: clients decide by it.
    public struct Kind: Sendable, Hashable {
        public let code: String
        public let status: Status
        public let title: String

        public init(_ code: String, _ status: Status, _ title: String) {
            self.code = code
            self.status = status
            self.title = title
        }
    }

    /// A member of the body that is at fault.
    public struct Member: Sendable, Equatable {
        /// A JSON pointer (RFC 6901) into the body.
        public let pointer: String
        public let detail: String

        public init(pointer: String, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }
    }

    public let kind: Kind
    /// Says what went wrong this time, and how to mend it.
    public let detail: String
    public let members: [Member]
    public let headers: HeaderFields
    /// For the log alone: what the operator has to know, and a client must not.
    public let cause: String?

    public init(
        _ kind: Kind, _ detail: String, members: [Member] = [],
        headers: HeaderFields = HeaderFields(), cause: String? = nil
    ) {
        self.kind = kind
        self.detail = detail
        self.members = members
        self.headers = headers
        self.cause = cause
    }

    public static func == (one: Problem, other: Problem) -> Bool {
        one.kind == other.kind && one.detail == other.detail && one.members == other.members
            && one.headers == other.headers && one.cause == other.cause
    }
}

/// The problems of HTTP itself; those of the service are beside its routes.
extension Problem.Kind {
    /// All that are declared here.
    public static let ofHTTP: [Self] = [
        .malformedRequest, .notFound, .methodNotAllowed, .notAcceptable, .contentTooLarge,
        .uriTooLong, .misdirectedRequest, .headerFieldsTooLarge, .versionNotSupported, .busy,
        .timedOut, .shuttingDown,
    ]

    public static let malformedRequest = Self(
        "malformed-request", .badRequest, "Malformed request")
    public static let notFound = Self("not-found", .notFound, "Not found")
    public static let methodNotAllowed = Self(
        "method-not-allowed", .methodNotAllowed, "Method not allowed")
    public static let notAcceptable = Self("not-acceptable", .notAcceptable, "Not acceptable")
    public static let contentTooLarge = Self(
        "content-too-large", .contentTooLarge, "Content too large")
    public static let uriTooLong = Self("uri-too-long", .uriTooLong, "URI too long")
    public static let misdirectedRequest = Self(
        "misdirected-request", .misdirectedRequest, "Misdirected request")
    public static let headerFieldsTooLarge = Self(
        "header-fields-too-large", .requestHeaderFieldsTooLarge, "Header fields too large")
    public static let versionNotSupported = Self(
        "version-not-supported", .httpVersionNotSupported, "Version not supported")
    public static let busy = Self("busy", .serviceUnavailable, "Busy")
    public static let timedOut = Self("timed-out", .serviceUnavailable, "Timed out")
    public static let shuttingDown = Self(
        "shutting-down", .serviceUnavailable, "Shutting down")
}
