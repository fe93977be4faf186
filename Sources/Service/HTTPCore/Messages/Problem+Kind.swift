extension Problem {
    /// A kind of problem. Those of HTTP itself, which any request can have, are listed here; the
    /// routes add theirs.
    public struct Kind: Sendable, Hashable {
        /// The member `code` of a problem response. It never changes, because clients depend on it.
        public let code: String
        public let status: Status

        public init(_ code: String, _ status: Status) {
            self.code = code
            self.status = status
        }

        public static let malformedRequest = Kind("malformed-request", 400)
        public static let notFound = Kind("not-found", 404)
        public static let methodNotAllowed = Kind("method-not-allowed", 405)
        public static let notAcceptable = Kind("not-acceptable", 406)
        public static let contentTooLarge = Kind("content-too-large", 413)
        public static let uriTooLong = Kind("uri-too-long", 414)
        public static let misdirectedRequest = Kind("misdirected-request", 421)
        public static let headerFieldsTooLarge = Kind("header-fields-too-large", 431)
        public static let versionNotSupported = Kind("version-not-supported", 505)
        public static let busy = Kind("busy", 503)
        public static let timedOut = Kind("timed-out", 503)
        public static let shuttingDown = Kind("shutting-down", 503)
        public static let internalError = Kind("internal-error", 500)
    }
}
