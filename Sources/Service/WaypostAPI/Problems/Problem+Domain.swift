import HTTPCore
import JSON
import NavigationRules
import Sessions
import WaypostCore

// The one place that turns errors of other modules into problems. A few routes report some errors
// as other problems.

extension SessionError: ReportedError {
    public var problem: Problem { Problem(self) }
}

extension Problem {
    /// Creates the problem that reports an error of a session, an account or the store.
    /// - Parameter newPassword: the name of the body member with the new password. The problem
    ///   names this member if the password is weak or invalid.
    convenience init(_ error: SessionError, newPassword: String = "password") {
        switch error {
        case .navigation(let error): self.init(error)
        case .ended: self.init(.sessionNotFound, Self.sessionNotFound.detail)
        case .revisionMismatch(let present, _):
            self.init(
                .preconditionFailed,
                "the session is at revision \(present): read the session again")
        case .revisionGone(let oldest?):
            self.init(
                .revisionGone,
                "the oldest revision in the history is \(oldest): request this revision or a later "
                    + "one, or changes with after=\(oldest)",
                after: oldest)
        case .revisionGone(nil):
            self.init(
                .revisionGone,
                "this revision cannot be shown: the storyboard, the catalog or the program has "
                    + "changed since then, or the history was off")
        case .revisionNotFound(let present):
            self.init(.revisionNotFound, "the session is at revision \(present)")
        case .credentialRefused(let refusal):
            self.init(
                .credentialRevoked,
                "this revision cannot be shown: the session was logged in with a credential that "
                    + (refusal == .expired ? "has expired" : "is revoked"))
        case .tooManyTokens:
            self.init(
                .tooManyTokens,
                "the session has the maximum of \(SessionToken.limit) further tokens: revoke one of "
                    + "them first")
        case .tokenNotFound:
            self.init(.tokenNotFound, "the session has no further token with this id")
        case .idempotencyKeyReused:
            self.init(
                .idempotencyKeyReused,
                "another request came with this Idempotency-Key: send a new key with a new request")
        case .sessionBusy, .conflict, .recordExists:
            self.init(
                .sessionBusy, "too many changes of this session wait for their turn: try again",
                headers: ["Retry-After": "1"])
        case .historyBusy:
            self.init(
                .busy,
                "too many histories and flows are being read: try again in a second, with fewer "
                    + "requests at a time", headers: ["Retry-After": "1"])
        case .invalidUsername(let reason):
            self.init(.invalidBody, [Member(pointer: "/username", detail: reason)])
        case .invalidPassword(let reason):
            self.init(.invalidBody, [Member(pointer: "/\(newPassword)", detail: reason)])
        case .invalidUsernameAndPassword(let username, let password):
            self.init(
                .invalidBody,
                [
                    Member(pointer: "/username", detail: username),
                    Member(pointer: "/\(newPassword)", detail: password),
                ])
        case .weakPassword(let reason):
            self.init(.weakPassword, [Member(pointer: "/\(newPassword)", detail: reason)])
        case .usernameTaken:
            self.init(.usernameTaken, "another account has this username: choose another")
        case .wrongCredentials:
            self.init(.wrongPassword, "the username or the password is wrong")
        case .wrongPassword: self.init(.wrongPassword, "the password is wrong")
        case .throttled(let throttled): self.init(throttled)
        case .signUpClosed:
            self.init(.signUpClosed, "sign-up is closed: ask the operator for an account")
        case .accountNotFound: self.init(.accountNotFound, "no account has this username")
        case .accountChanged:
            self.init(.accountChanged, "the account was changed at the same time: try again")
        case .credentialNotFound:
            self.init(.credentialNotFound, "the account has no valid credential with this id")
        case .passwordsBusy:
            self.init(
                .busy, "too many passwords are being checked: try again in a second",
                headers: ["Retry-After": "1"])
        case .storage(let error) where error.isOutcomeUnknown:
            self.init(
                .outcomeUnknown,
                "the store did not confirm the change, which may or may not have been made: send the "
                    + "request again with the same Idempotency-Key, or read the session later",
                headers: ["Retry-After": "5"], cause: error.reason)
        case .storage(let error):
            self.init(
                .storageUnavailable,
                "the store cannot be used now, and nothing was changed: try again",
                headers: ["Retry-After": "5"], cause: error.reason)
        }
    }

    /// Returns the problem for a missing or invalid bearer token. The kind is `.unauthorized` for
    /// all causes; only `detail` differs.
    static func unauthorized(_ detail: String) -> Problem {
        Problem(
            .unauthorized, detail, headers: ["WWW-Authenticate": "Bearer realm=\"waypost\""])
    }

    /// The problem for an unknown session id and for a token of another session. Both cases have
    /// the same problem, so that clients cannot tell them apart.
    static let sessionNotFound = Problem(
        .sessionNotFound, "no session has this id and this token")

    /// Creates the problem for a client that exceeds a rate limit. The response has the status 429
    /// and the header fields of draft-ietf-httpapi-ratelimit-headers-10.
    convenience init(_ throttled: RateLimitExceeded) {
        let seconds = Int((throttled.retryAfter / .seconds(1)).rounded(.up))
        let window = throttled.window.map { Int($0 / .seconds(1)) }
        let quota = "\(throttled.quota)" + (window.map { " in \($0) s" } ?? "")
        self.init(
            .tooManyRequests,
            "the limit \(throttled.policy) of \(quota) is reached: try again in \(seconds) s",
            headers: [
                "Retry-After": String(seconds),
                "RateLimit-Policy": "\"\(throttled.policy)\";q=\(throttled.quota)"
                    + (window.map { ";w=\($0)" } ?? ""),
                "RateLimit": "\"\(throttled.policy)\";r=0;t=\(seconds)",
            ])
    }

    /// Creates a problem that lists defective members of the request body. The detail text of the
    /// problem describes the first one.
    /// - Parameter members: the defective members. If there are more than `BodyReader.maximumDefects`,
    ///   the problem lists only the first ones and says so.
    convenience init(_ kind: Kind, _ members: [Member]) {
        let maximum = BodyReader.maximumDefects
        let first = members.first.map {
            "\($0.pointer.isEmpty ? "the body" : $0.pointer): \($0.detail)"
        }
        let rest =
            switch members.count {
            case ...1: ""
            case ...maximum: " (and \(members.count - 1) more)"
            default: " (and more; the first \(maximum) are listed)"
            }
        self.init(
            kind, (first ?? "the body is invalid") + rest,
            members: Array(members.prefix(maximum)))
    }
}
