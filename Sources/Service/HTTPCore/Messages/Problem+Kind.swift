extension Problem {
    /// A kind of problem that is no refusal of the navigation rules, which have codes of their own
    /// (`NavigationError.Code`). The raw value is the `code` of a problem response; it never changes,
    /// because clients depend on it.
    ///
    /// `docs/problems.md` explains each kind under its code, in the order of the cases.
    public enum Kind: String, CaseIterable, Sendable {
        // Kinds for HTTP itself
        case malformedRequest = "malformed-request"
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case notAcceptable = "not-acceptable"
        case contentTooLarge = "content-too-large"
        case uriTooLong = "uri-too-long"
        case misdirectedRequest = "misdirected-request"
        case originNotAllowed = "origin-not-allowed"
        case headerFieldsTooLarge = "header-fields-too-large"
        case versionNotSupported = "version-not-supported"
        case busy = "busy"
        case timedOut = "timed-out"
        case shuttingDown = "shutting-down"

        // Kinds for the content of a request
        case malformedJSON = "malformed-json"
        case invalidQuery = "invalid-query"
        case invalidBody = "invalid-body"
        case unsupportedMediaType = "unsupported-media-type"
        case invalidEntityTag = "invalid-entity-tag"
        case invalidIdempotencyKey = "invalid-idempotency-key"
        case idempotencyKeyReused = "idempotency-key-reused"
        case preconditionFailed = "precondition-failed"

        // Kinds for the client and its rights
        case unauthorized = "unauthorized"
        case unexpectedAuthorization = "unexpected-authorization"
        case sessionNotFound = "session-not-found"
        case eventsGone = "events-gone"
        case revisionGone = "revision-gone"
        case revisionNotFound = "revision-not-found"
        case credentialRevoked = "credential-revoked"
        case usernameTaken = "username-taken"
        case weakPassword = "weak-password"
        case wrongPassword = "wrong-password"
        case signUpClosed = "sign-up-closed"
        case accountNotFound = "account-not-found"
        case accountChanged = "account-changed"
        case credentialNotFound = "credential-not-found"
        case tokenNotFound = "token-not-found"
        case tooManyTokens = "too-many-tokens"
        case tooManyRequests = "too-many-requests"
        case tooManyStreams = "too-many-streams"

        // Kinds for the data
        case authorNotFound = "author-not-found"
        case bookNotFound = "book-not-found"
        case coverNotFound = "cover-not-found"
        case imageNotFound = "image-not-found"
        case rangeNotSatisfiable = "range-not-satisfiable"

        // Kinds for the service
        case sessionBusy = "session-busy"
        case storageUnavailable = "storage-unavailable"
        case outcomeUnknown = "outcome-unknown"
        case notReady = "not-ready"
        case internalError = "internal-error"

        public var status: Status {
            switch self {
            case .malformedRequest, .malformedJSON, .invalidQuery, .invalidEntityTag,
                .invalidIdempotencyKey, .unexpectedAuthorization:
                .badRequest
            case .notFound, .sessionNotFound, .revisionNotFound, .accountNotFound,
                .credentialNotFound, .tokenNotFound, .authorNotFound, .bookNotFound, .coverNotFound,
                .imageNotFound:
                .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .notAcceptable: .notAcceptable
            case .contentTooLarge: .contentTooLarge
            case .uriTooLong: .uriTooLong
            case .misdirectedRequest: .misdirectedRequest
            case .headerFieldsTooLarge: .requestHeaderFieldsTooLarge
            case .versionNotSupported: .httpVersionNotSupported
            case .busy, .timedOut, .shuttingDown, .storageUnavailable, .outcomeUnknown, .notReady:
                .serviceUnavailable
            case .invalidBody, .idempotencyKeyReused, .weakPassword:
                .unprocessableContent
            case .unsupportedMediaType: .unsupportedMediaType
            case .tooManyRequests, .tooManyStreams, .sessionBusy:
                .tooManyRequests
            case .preconditionFailed: .preconditionFailed
            case .unauthorized: .unauthorized
            case .eventsGone, .revisionGone: .gone
            case .originNotAllowed, .credentialRevoked, .wrongPassword, .signUpClosed:
                .forbidden
            case .usernameTaken, .accountChanged, .tooManyTokens:
                .conflict
            case .rangeNotSatisfiable: .rangeNotSatisfiable
            case .internalError: .internalServerError
            }
        }
    }
}
