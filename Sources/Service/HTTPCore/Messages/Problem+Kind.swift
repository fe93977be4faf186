extension Problem {
    /// A kind of problem. The raw value is the `code` of a problem response; it never changes,
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
        case loginRequired = "login-required"
        case alreadyLoggedIn = "already-logged-in"
        case noLogin = "no-login"
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

        // Kinds for navigation
        case sceneNotFound = "scene-not-found"
        case viewControllerNotFound = "view-controller-not-found"
        case linkNotFound = "link-not-found"
        case malformedLink = "malformed-link"
        case foreignLink = "foreign-link"
        case unsupportedViewController = "unsupported-view-controller"
        case duplicateViewControllers = "duplicate-view-controllers"
        case emptyStack = "empty-stack"
        case alreadyOnStack = "already-on-stack"
        case notOnStack = "not-on-stack"
        case stackTooDeep = "stack-too-deep"
        case sessionTooLarge = "session-too-large"
        case notSelectable = "not-selectable"
        case rowOutOfRange = "row-out-of-range"
        case noSegmentedControl = "no-segmented-control"
        case segmentOutOfRange = "segment-out-of-range"
        case noBackButton = "no-back-button"
        case noNavigationController = "no-navigation-controller"
        case navigationControllerNotFound = "navigation-controller-not-found"
        case alreadyPresenting = "already-presenting"
        case notOnScreen = "not-on-screen"
        case tooManyLayers = "too-many-layers"
        case notDismissible = "not-dismissible"
        case popRefused = "pop-refused"
        case selectionRefused = "selection-refused"
        case noTabBar = "no-tab-bar"
        case tabOutOfRange = "tab-out-of-range"
        case tabBarHidden = "tab-bar-hidden"
        case inMoreList = "in-more-list"
        case segueNotFound = "segue-not-found"
        case segueNotExecutable = "segue-not-executable"
        case tapNotFound = "tap-not-found"
        case flagNotFound = "flag-not-found"
        case tapOutOfRange = "tap-out-of-range"
        case ambiguousTap = "ambiguous-tap"
        case notAUserAction = "not-a-user-action"

        // Kinds for the service
        case sessionBusy = "session-busy"
        case storageUnavailable = "storage-unavailable"
        case outcomeUnknown = "outcome-unknown"
        case notReady = "not-ready"
        case internalError = "internal-error"

        public var code: String { rawValue }

        /// The title of the problem response. For most kinds it is the code with spaces in place of
        /// hyphens and a capital first letter.
        public var title: String {
            switch self {
            case .uriTooLong: return "URI too long"
            case .malformedJSON: return "Malformed JSON"
            case .loginRequired: return "Log-in required"
            case .signUpClosed: return "Sign-up closed"
            case .alreadyOnStack: return "Already on the stack"
            case .notOnStack: return "Not on the stack"
            case .notOnScreen: return "Not on screen"
            default:
                let words = code.replacing("-", with: " ")
                return words.prefix(1).uppercased() + words.dropFirst()
            }
        }

        public var status: Status {
            switch self {
            case .malformedRequest, .malformedJSON, .invalidQuery, .invalidEntityTag,
                .invalidIdempotencyKey, .malformedLink, .unexpectedAuthorization:
                .badRequest
            case .notFound, .sessionNotFound, .revisionNotFound, .accountNotFound,
                .credentialNotFound,
                .tokenNotFound, .authorNotFound,
                .bookNotFound, .coverNotFound, .imageNotFound, .sceneNotFound,
                .viewControllerNotFound, .linkNotFound, .foreignLink,
                .navigationControllerNotFound,
                .segueNotFound,
                .tapNotFound, .flagNotFound:
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
            case .invalidBody, .idempotencyKeyReused, .weakPassword, .unsupportedViewController,
                .duplicateViewControllers, .emptyStack, .sessionTooLarge, .rowOutOfRange,
                .segmentOutOfRange, .tabOutOfRange, .tapOutOfRange:
                .unprocessableContent
            case .unsupportedMediaType: .unsupportedMediaType
            case .tooManyRequests, .tooManyStreams, .sessionBusy:
                .tooManyRequests
            case .preconditionFailed: .preconditionFailed
            case .unauthorized: .unauthorized
            case .eventsGone, .revisionGone: .gone
            case .originNotAllowed, .loginRequired, .credentialRevoked, .wrongPassword,
                .signUpClosed:
                .forbidden
            case .alreadyLoggedIn, .noLogin, .usernameTaken, .accountChanged, .tooManyTokens,
                .alreadyOnStack, .notOnStack, .stackTooDeep, .notSelectable, .noSegmentedControl,
                .noBackButton,
                .noNavigationController, .alreadyPresenting, .notOnScreen, .tooManyLayers,
                .notDismissible, .popRefused, .selectionRefused, .noTabBar, .tabBarHidden,
                .inMoreList,
                .segueNotExecutable, .ambiguousTap,
                .notAUserAction:
                .conflict
            case .rangeNotSatisfiable: .rangeNotSatisfiable
            case .internalError: .internalServerError
            }
        }
    }
}
