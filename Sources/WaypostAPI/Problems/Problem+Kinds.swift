import HTTPCore

/// The problems of the service; those of HTTP itself are in `HTTPCore`.
extension Problem.Kind {
    /// Every problem that a client can meet. A test holds it to the declarations.
    static let all =
        ofHTTP + [
            .malformedJSON, .invalidQuery, .invalidBody, .unsupportedMediaType,
            .invalidEntityTag, .invalidIdempotencyKey, .idempotencyKeyReused,
            .tooManyIdempotencyKeys,
            .preconditionFailed,
            .unauthorized, .sessionNotFound, .eventsGone, .loginRequired, .alreadyLoggedIn,
            .noLogin,
            .usernameTaken, .weakPassword, .wrongPassword, .signUpClosed,
            .accountNotFound, .accountChanged, .credentialNotFound, .tooManyRequests,
            .authorNotFound, .bookNotFound, .coverNotFound,
            .imageNotFound, .rangeNotSatisfiable, .sceneNotFound, .viewControllerNotFound,
            .linkNotFound,
            .malformedLink, .unsupportedViewController, .duplicateViewControllers, .emptyStack,
            .alreadyOnStack, .notOnStack, .stackTooDeep, .sessionTooLarge, .notSelectable,
            .rowOutOfRange,
            .noSegmentedControl, .segmentOutOfRange, .noBackButton, .sessionBusy,
            .storageUnavailable, .outcomeUnknown, .notReady, .internalError,
        ]

    // The request
    static let malformedJSON = Self("malformed-json", .badRequest, "Malformed JSON")
    static let invalidQuery = Self("invalid-query", .badRequest, "Invalid query")
    static let invalidBody = Self("invalid-body", .unprocessableContent, "Invalid body")
    static let unsupportedMediaType = Self(
        "unsupported-media-type", .unsupportedMediaType, "Unsupported media type")
    static let invalidEntityTag = Self(
        "invalid-entity-tag", .badRequest, "Invalid entity tag")
    static let invalidIdempotencyKey = Self(
        "invalid-idempotency-key", .badRequest, "Invalid idempotency key")
    static let idempotencyKeyReused = Self(
        "idempotency-key-reused", .unprocessableContent, "Idempotency key reused")
    static let tooManyIdempotencyKeys = Self(
        "too-many-idempotency-keys", .tooManyRequests, "Too many idempotency keys")
    static let preconditionFailed = Self(
        "precondition-failed", .preconditionFailed, "Precondition failed")

    // The client
    static let unauthorized = Self("unauthorized", .unauthorized, "Unauthorized")
    static let sessionNotFound = Self("session-not-found", .notFound, "Session not found")
    static let eventsGone = Self("events-gone", .gone, "Events gone")
    static let loginRequired = Self("login-required", .forbidden, "Log-in required")
    static let alreadyLoggedIn = Self("already-logged-in", .conflict, "Already logged in")
    static let noLogin = Self("no-login", .conflict, "No login")
    static let usernameTaken = Self("username-taken", .conflict, "Username taken")

    static let weakPassword = Self("weak-password", .unprocessableContent, "Weak password")
    static let wrongPassword = Self("wrong-password", .forbidden, "Wrong password")
    static let signUpClosed = Self("sign-up-closed", .forbidden, "Sign-up closed")
    static let accountNotFound = Self("account-not-found", .notFound, "Account not found")
    static let accountChanged = Self("account-changed", .conflict, "Account changed")
    static let credentialNotFound = Self(
        "credential-not-found", .notFound, "Credential not found")
    static let tooManyRequests = Self(
        "too-many-requests", .tooManyRequests, "Too many requests")

    // The catalog
    static let authorNotFound = Self("author-not-found", .notFound, "Author not found")
    static let bookNotFound = Self("book-not-found", .notFound, "Book not found")
    static let coverNotFound = Self("cover-not-found", .notFound, "Cover not found")
    static let imageNotFound = Self("image-not-found", .notFound, "Image not found")
    static let rangeNotSatisfiable = Self(
        "range-not-satisfiable", .rangeNotSatisfiable, "Range not satisfiable")

    // Navigation
    static let sceneNotFound = Self("scene-not-found", .notFound, "Scene not found")
    static let viewControllerNotFound = Self(
        "view-controller-not-found", .notFound, "View controller not found")
    static let linkNotFound = Self("link-not-found", .notFound, "Link not found")
    static let malformedLink = Self("malformed-link", .badRequest, "Malformed link")
    static let unsupportedViewController = Self(
        "unsupported-view-controller", .unprocessableContent, "Unsupported view controller")
    static let duplicateViewControllers = Self(
        "duplicate-view-controllers", .unprocessableContent, "Duplicate view controllers")
    static let emptyStack = Self("empty-stack", .unprocessableContent, "Empty stack")
    static let alreadyOnStack = Self("already-on-stack", .conflict, "Already on the stack")
    static let notOnStack = Self("not-on-stack", .conflict, "Not on the stack")
    static let stackTooDeep = Self("stack-too-deep", .conflict, "Stack too deep")
    static let sessionTooLarge = Self(
        "session-too-large", .unprocessableContent, "Session too large")
    static let notSelectable = Self("not-selectable", .conflict, "Not selectable")
    static let rowOutOfRange = Self("row-out-of-range", .unprocessableContent, "Row out of range")
    static let noSegmentedControl = Self(
        "no-segmented-control", .conflict, "No segmented control")
    static let segmentOutOfRange = Self(
        "segment-out-of-range", .unprocessableContent, "Segment out of range")
    static let noBackButton = Self("no-back-button", .conflict, "No back button")

    // The service
    static let sessionBusy = Self("session-busy", .tooManyRequests, "Session busy")
    static let storageUnavailable = Self(
        "storage-unavailable", .serviceUnavailable, "Storage unavailable")
    static let outcomeUnknown = Self(
        "outcome-unknown", .serviceUnavailable, "Outcome unknown")
    static let internalError = Self(
        "internal-error", .internalServerError, "Internal error")
    static let notReady = Self("not-ready", .serviceUnavailable, "Not ready")
}
