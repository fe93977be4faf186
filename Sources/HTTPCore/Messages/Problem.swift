/// An error as the client sees it (RFC 9457).
///
/// A class: a result that may be one is then no larger than a reference.
public final class Problem: Error, Sendable, Equatable {
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
