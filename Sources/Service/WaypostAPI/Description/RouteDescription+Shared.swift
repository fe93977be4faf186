import HTTPCore
import NavigationRules

/// The parts of a description that follow from the method and the path of the route.
extension RouteDescription {
    /// A request without a body is refused if it has one that is no empty object.
    static let emptyBody: [Problem.Kind] = [
        .malformedJSON, .invalidBody, .unsupportedMediaType,
    ]

    private static let session = "/v1/sessions/{session}"

    private var segments: [Substring] { path.split(separator: "/") }
    private var isRead: Bool { method == .get }
    /// Whether the route reads or changes a session, with a token of this session.
    package var isOfSession: Bool { path.hasPrefix(Self.session) }
    private var isOfAccount: Bool { path.hasPrefix("/v1/account") }

    /// The names of the path's parameters.
    package var pathParameters: [String] {
        segments.filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// The query parameters and header fields of the request, by their names in
    /// `Fragments/parameters.yaml`.
    package var requestParameters: [String] {
        var names = parameters
        if answer.isPage { names += ["Limit", "After"] }
        if caching == .validated || caching == .shared || caching == .page {
            names.append("IfNoneMatch")
        }
        if !isRead {
            if isOfSession { names.append("IfMatch") }
            names.append("IdempotencyKey")
        }
        if answer.isChange { names.append("Prefer") }
        return names
    }

    /// The header fields of the response, by their names in `Fragments/headers.yaml`.
    package var responseHeaders: [String] {
        let caching =
            switch caching {
            case .forbidden: answer.mediaTypes.isEmpty ? [] : ["NoStore"]
            case .validated: ["ETag", "Revalidated"]
            case .untagged: ["Revalidated"]
            case .shared: ["ETag", "Cacheable"]
            case .page: ["ETag", "NoCache"]
            }
        return answer.headers + caching + (isRead ? [] : ["IdempotencyReplayed"])
    }

    /// The name of the security scheme; nil if everybody may send the request.
    package var security: String? {
        isOfSession ? "sessionToken" : isOfAccount ? "credential" : nil
    }

    /// The kinds of problems with which the service refuses any request.
    package static let commonProblems: [Problem.Kind] = [
        .malformedRequest, .invalidQuery, .invalidEntityTag, .notAcceptable,
        .contentTooLarge, .uriTooLong, .misdirectedRequest, .headerFieldsTooLarge, .internalError,
        .busy, .timedOut, .shuttingDown, .versionNotSupported,
    ]

    /// The kinds of problems of this route, without those that any route has, by status and name.
    package var allProblems: [Problem.Kind] {
        var (kinds, codes) = (problems, refusals)
        if isOfSession || isOfAccount { kinds += [.unauthorized, .storageUnavailable] }
        if isOfSession { kinds += [.sessionNotFound, .sessionBusy] }
        if isOfSession, pathParameters.contains("viewController") {
            codes.append(.viewControllerNotFound)
        }
        if parameters.contains("Revision") { kinds += Self.revisionProblems }
        if !isRead {
            kinds += [
                .originNotAllowed, .invalidIdempotencyKey, .idempotencyKeyReused, .outcomeUnknown,
            ]
            if isOfSession || isOfAccount { kinds.append(.preconditionFailed) }
            if isOfAccount { kinds.append(.accountChanged) }
        }
        if answer.isChange {
            // A repeated request is refused when the log-in of the first has ended.
            kinds.append(.credentialRevoked)
            codes.append(.sessionTooLarge)
        }
        if body != nil { kinds += [.malformedJSON, .unsupportedMediaType, .invalidBody] }
        return Set(kinds + codes.map(\.kind)).subtracting(Self.commonProblems).sorted {
            ($0.status.code, $0.code) < ($1.status.code, $1.code)
        }
    }

    /// The kinds of problems of a request for an earlier revision.
    static let revisionProblems: [Problem.Kind] = [
        .revisionNotFound, .revisionGone, .credentialRevoked,
    ]

    /// The id of the operation, which follows from the path: `POST …/pop-to` is `popTo`, `GET
    /// …/tokens` is `listAccountSessionTokens`, and `DELETE …/tokens/{token}` is
    /// `deleteAccountSessionToken`.
    package var operationID: String {
        var names = Self.names(
            of: isOfSession && segments.count > 3 ? segments.dropFirst(3) : segments[...])
        if names.isEmpty { names = ["root"] }
        if method == .post, isAction, let verb = names.popLast() {
            return Self.camelCase([verb] + names)
        }
        if answer.status == .created, let plural = names.popLast() {
            names.append(String(plural.dropLast()))
        }
        return Self.camelCase([verb] + names)
    }

    /// Whether the last component of the path is a verb.
    private var isAction: Bool { answer.status != .created }

    private var verb: String {
        switch method {
        case .get: answer.isPage ? "list" : "get"
        case .post: "create"
        case .put: "set"
        case .patch: "update"
        case .delete: "delete"
        default: method.name.lowercased()
        }
    }

    /// Returns the nouns of a path. A parameter makes the plural before it a singular: `authors`
    /// and `{author}` are `author`.
    private static func names(of segments: ArraySlice<Substring>) -> [String] {
        var names: [String] = []
        for segment in segments where segment != "v1" && segment != "catalog" {
            guard segment.hasPrefix("{") else {
                names.append(String(segment))
                continue
            }
            if let plural = names.last, plural.hasSuffix("s") {
                names[names.count - 1] = String(plural.dropLast())
            } else {
                names.append(String(segment.dropFirst().dropLast()))
            }
        }
        return names
    }

    private static func camelCase(_ names: [String]) -> String {
        let words = names.flatMap { $0.split { !$0.isLetter } }
        return words.enumerated().map { index, word in
            index == 0 ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
    }
}
