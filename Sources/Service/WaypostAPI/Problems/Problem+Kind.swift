import HTTPCore
import NavigationRules

// The kinds of problems that the routes have beside those of HTTP. `docs/problems.md` explains each.

/// Kinds for the origin and the content of a request.
extension Problem.Kind {
    package static let originNotAllowed = Self("origin-not-allowed", 403)
    package static let malformedJSON = Self("malformed-json", 400)
    package static let invalidQuery = Self("invalid-query", 400)
    package static let invalidBody = Self("invalid-body", 422)
    package static let unsupportedMediaType = Self("unsupported-media-type", 415)
    package static let invalidEntityTag = Self("invalid-entity-tag", 400)
    package static let invalidIdempotencyKey = Self("invalid-idempotency-key", 400)
    package static let idempotencyKeyReused = Self("idempotency-key-reused", 422)
    package static let preconditionFailed = Self("precondition-failed", 412)
}

/// Kinds for the client and its rights.
extension Problem.Kind {
    package static let unauthorized = Self("unauthorized", 401)
    package static let unexpectedAuthorization = Self("unexpected-authorization", 400)
    package static let sessionNotFound = Self("session-not-found", 404)
    package static let eventsGone = Self("events-gone", 410)
    package static let revisionGone = Self("revision-gone", 410)
    package static let revisionNotFound = Self("revision-not-found", 404)
    package static let credentialRevoked = Self("credential-revoked", 403)
    package static let usernameTaken = Self("username-taken", 409)
    package static let weakPassword = Self("weak-password", 422)
    package static let wrongPassword = Self("wrong-password", 403)
    package static let signUpClosed = Self("sign-up-closed", 403)
    package static let accountNotFound = Self("account-not-found", 404)
    package static let accountChanged = Self("account-changed", 409)
    package static let credentialNotFound = Self("credential-not-found", 404)
    package static let tokenNotFound = Self("token-not-found", 404)
    package static let tooManyTokens = Self("too-many-tokens", 409)
    package static let tooManyRequests = Self("too-many-requests", 429)
    package static let tooManyStreams = Self("too-many-streams", 429)
}

/// Kinds for the data and for the service.
extension Problem.Kind {
    package static let authorNotFound = Self("author-not-found", 404)
    package static let bookNotFound = Self("book-not-found", 404)
    package static let coverNotFound = Self("cover-not-found", 404)
    package static let imageNotFound = Self("image-not-found", 404)
    package static let rangeNotSatisfiable = Self("range-not-satisfiable", 416)
    package static let sessionBusy = Self("session-busy", 429)
    package static let storageUnavailable = Self("storage-unavailable", 503)
    package static let outcomeUnknown = Self("outcome-unknown", 503)
    package static let notReady = Self("not-ready", 503)
}

extension Problem.Kind {
    /// All kinds, in the order of `docs/problems.md`.
    package static let all: [Problem.Kind] =
        [
            .malformedRequest, .notFound, .methodNotAllowed, .notAcceptable, .contentTooLarge,
            .uriTooLong, .misdirectedRequest, .originNotAllowed, .headerFieldsTooLarge,
            .versionNotSupported, .busy, .timedOut, .shuttingDown,

            .malformedJSON, .invalidQuery, .invalidBody, .unsupportedMediaType, .invalidEntityTag,
            .invalidIdempotencyKey, .idempotencyKeyReused, .preconditionFailed,

            .unauthorized, .unexpectedAuthorization, .sessionNotFound, .eventsGone, .revisionGone,
            .revisionNotFound, .credentialRevoked, .usernameTaken, .weakPassword, .wrongPassword,
            .signUpClosed, .accountNotFound, .accountChanged, .credentialNotFound, .tokenNotFound,
            .tooManyTokens, .tooManyRequests, .tooManyStreams,

            .authorNotFound, .bookNotFound, .coverNotFound, .imageNotFound, .rangeNotSatisfiable,

            .sessionBusy, .storageUnavailable, .outcomeUnknown, .notReady, .internalError,
        ] + NavigationError.Code.allCases.filter { $0 != .invalidBody }.map(\.kind)
}

extension NavigationError.Code {
    /// The kind of the problem with which a refusal is reported.
    var kind: Problem.Kind { Problem.Kind(rawValue, status) }

    private var status: Status {
        switch self {
        case .malformedLink: 400
        case .loginRequired: 403
        case .sceneNotFound, .viewControllerNotFound, .linkNotFound, .foreignLink,
            .navigationControllerNotFound, .segueNotFound, .tapNotFound, .flagNotFound:
            404
        case .alreadyOnStack, .notOnStack, .stackTooDeep, .notSelectable, .noSegmentedControl,
            .noBackButton, .noNavigationController, .alreadyPresenting, .notOnScreen,
            .tooManyLayers, .notDismissible, .popRefused, .selectionRefused, .noTabBar,
            .tabBarHidden, .inMoreList, .segueNotExecutable, .ambiguousTap, .notAUserAction,
            .alreadyLoggedIn, .noLogin:
            409
        case .invalidBody, .unsupportedViewController, .duplicateViewControllers, .emptyStack,
            .sessionTooLarge, .rowOutOfRange, .segmentOutOfRange, .tabOutOfRange, .tapOutOfRange:
            422
        }
    }
}
