import Accounts
import HTTPCore
import JSON
import Navigation
import Sessions
import WaypostCore

// Converts the errors of other modules to problems. A few routes report some errors as other
// problems.

extension Problem {
    /// Creates the problem that reports an error of a session.
    /// - Parameter newPassword: the name of the body member with the new password. The problem
    ///   names this member if the password is weak or invalid.
    convenience init(_ error: SessionError, newPassword: String = "password") {
        switch error {
        case .navigation(let error): self.init(error)
        case .account(let error): self.init(error, newPassword: newPassword)
        case .storage(let error): self.init(error)
        case .idempotencyKeyReused:
            self.init(
                .idempotencyKeyReused,
                "another request came with this Idempotency-Key: send a new key with a new request")
        case .revisionMismatch(let present):
            self.init(
                .preconditionFailed,
                "the session is at revision \(present): read the session again")
        case .ended: self.init(.sessionNotFound, Self.sessionNotFound.detail)
        case .sessionBusy, .alreadyAnswered:
            self.init(
                .sessionBusy, "too many changes of this session wait for their turn: try again",
                headers: ["Retry-After": "1"])
        case .replaysBusy:
            self.init(
                .busy,
                "too many histories and flows are being read: try again in a second, with fewer "
                    + "requests at a time", headers: ["Retry-After": "1"])
        case .tooManyTokens:
            self.init(
                .tooManyTokens,
                "the session has the maximum of \(SessionToken.limit) further tokens: revoke one of "
                    + "them first")
        case .revisionGone(let oldest?):
            self.init(
                .revisionGone,
                "the oldest revision in the history is \(oldest): request this revision or a later "
                    + "one, or changes with after=\(oldest)")
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
        case .tokenNotFound:
            self.init(.tokenNotFound, "the session has no further token with this id")
        case .tooManyIdempotencyKeys(let wait?):
            let seconds = Int((wait / .seconds(1)).rounded(.up))
            self.init(
                .tooManyIdempotencyKeys,
                "the session has its maximum number of stored responses, or they are too large: try "
                    + "again with the same Idempotency-Key in \(seconds) s, when the first of them "
                    + "expires",
                headers: ["Retry-After": String(seconds)])
        case .tooManyIdempotencyKeys(nil):
            self.init(
                .tooManyIdempotencyKeys,
                "the response is too large to be stored for a repetition: split the request into "
                    + "several, each with its own Idempotency-Key")
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

    convenience init(_ error: StorageError) {
        if error.isOutcomeUnknown {
            self.init(
                .outcomeUnknown,
                "the store did not confirm the change, which may or may not have been made: send the "
                    + "request again with the same Idempotency-Key, or read the session later",
                headers: ["Retry-After": "5"], cause: error.reason)
        } else {
            self.init(
                .storageUnavailable,
                "the store cannot be used now, and nothing was changed: try again",
                headers: ["Retry-After": "5"], cause: error.reason)
        }
    }

    /// Returns the problem for an unexpected error. The response does not mention the cause, which
    /// only the log records.
    static func unknown(_ error: any Error) -> Problem {
        Problem(
            .internalError,
            "an unexpected error occurred in the service; its log has the cause under the "
                + "X-Request-ID of this response",
            cause: "\(error)")
    }

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

    private convenience init(_ error: AccountError, newPassword: String) {
        switch error {
        case .storage(let error): self.init(error)
        case .throttled(let throttled): self.init(throttled)
        case .weakPassword(let reason):
            self.init(.weakPassword, [Member(pointer: "/\(newPassword)", detail: reason)])
        case .wrongPassword: self.init(.wrongPassword, "the password is wrong")
        case .signUpClosed:
            self.init(.signUpClosed, "sign-up is closed: ask the operator for an account")
        case .accountNotFound: self.init(.accountNotFound, "no account has this username")
        case .accountChanged:
            self.init(.accountChanged, "the account was changed at the same time: try again")
        case .credentialNotFound:
            self.init(.credentialNotFound, "the account has no valid credential with this id")
        case .invalidUsername(let reason):
            self.init(.invalidBody, [Member(pointer: "/username", detail: reason)])
        case .invalidUsernameAndPassword(let username, let password):
            self.init(
                .invalidBody,
                [
                    Member(pointer: "/username", detail: username),
                    Member(pointer: "/\(newPassword)", detail: password),
                ])
        case .invalidPassword(let reason):
            self.init(.invalidBody, [Member(pointer: "/\(newPassword)", detail: reason)])
        case .usernameTaken:
            self.init(.usernameTaken, "another account has this username: choose another")
        case .wrongCredentials:
            self.init(.wrongPassword, "the username or the password is wrong")
        case .busy:
            self.init(
                .busy, "too many passwords are being checked: try again in a second",
                headers: ["Retry-After": "1"])
        }
    }

    /// Creates the problem that reports an error of a navigation operation.
    /// - Parameter pointer: the JSON pointer to the operation in the body, such as `/operations/2`
    ///   in a batch; empty if the body itself is the operation.
    convenience init(_ error: NavigationError, at pointer: String = "") {
        switch error {
        case .inBatch(let index, let name, let error):
            self.init(error, at: "\(pointer)/operations/\(index)/\(name)")
        case .atEntry(let index, let error):
            self.init(error, at: "\(pointer)/viewControllers/\(index)")
        case .invalidParameters(let scene, let defects):
            self.init(
                .invalidBody,
                defects.map { defect in
                    Member(
                        pointer: "\(pointer)/parameters/\(JSONPointer.escaped(defect.name))",
                        detail: Self.detail(of: defect, scene: scene))
                })
        case .beyondLimit(let defect):
            let member = defect.member.map { "/" + JSONPointer.escaped($0) }.joined()
            self.init(
                .invalidBody,
                [Member(pointer: pointer + member, detail: Self.detail(of: defect.reason))])
        default:
            let (kind, detail) = Self.kindAndDetail(of: error)
            let pointer = pointer + (Self.member(at: error).map { "/\($0)" } ?? "")
            self.init(
                kind, detail,
                members: pointer.isEmpty ? [] : [Member(pointer: pointer, detail: detail)])
        }
    }

    /// The maximum number of defective body members that a problem lists.
    static let maximumMembers = BodyReader.maximumDefects

    /// Creates a problem that lists defective members of the request body. The detail text of the
    /// problem describes the first one.
    /// - Parameter members: the defective members. If there are more than `maximumMembers`, the
    ///   problem lists only the first `maximumMembers` and says so.
    convenience init(_ kind: Kind, _ members: [Member]) {
        let first = members.first.map {
            "\($0.pointer.isEmpty ? "the body" : $0.pointer): \($0.detail)"
        }
        let rest =
            switch members.count {
            case ...1: ""
            case ...Self.maximumMembers: " (and \(members.count - 1) more)"
            default: " (and more; the first \(Self.maximumMembers) are listed)"
            }
        self.init(
            kind, (first ?? "the body is invalid") + rest,
            members: Array(members.prefix(Self.maximumMembers)))
    }

    private static func detail(of defect: ParameterDefect, scene: String) -> String {
        switch defect.reason {
        case .missing: "missing: the scene \(scene) needs this parameter"
        case .unknown: "the scene \(scene) has no such parameter"
        case .dangling(let value): "nothing in the data has the id \(value)"
        }
    }

    private static func detail(of reason: LimitDefect.Reason) -> String {
        switch reason {
        case .textTooLong(let length, let maximum):
            "expected at most \(maximum) characters, found \(length)"
        case .tooManyItems(let count, let maximum):
            "expected at most \(maximum) items, found \(count)"
        }
    }

    /// Returns the name of the body member whose value caused the error; nil if the session's state
    /// caused the error.
    private static func member(at error: NavigationError) -> String? {
        switch error {
        case .sceneNotFound, .unsupportedViewController: "scene"
        case .emptyStack: "viewControllers"
        case .rowOutOfRange: "row"
        case .segmentOutOfRange, .tabOutOfRange, .tapOutOfRange: "index"
        case .segueNotFound: "identifier"
        case .navigationControllerNotFound: "navigationController"
        case .linkNotFound: "path"
        case .alreadyOnStack: "viewController"
        default: nil
        }
    }

    private static func kindAndDetail(of error: NavigationError) -> (Kind, String) {
        switch error {
        case .sceneNotFound(let name): (.sceneNotFound, "no scene is named \(name)")
        case .unsupportedViewController(let name):
            (.unsupportedViewController, "\(name) is a container, which cannot be on a stack")
        case .viewControllerNotFound(let id):
            (.viewControllerNotFound, "no live view controller has the id \(id)")
        case .alreadyOnStack(let id): (.alreadyOnStack, "\(id) is on the stack already")
        case .notOnStack(let id): (.notOnStack, "\(id) is alive but not on the stack")
        case .sceneNotBelowTop(let name):
            (.notOnStack, "no view controller of the scene \(name) is below the top")
        case .duplicateViewControllers(let id):
            (.duplicateViewControllers, "\(id) is listed twice")
        case .emptyStack: (.emptyStack, "a stack holds at least one view controller")
        case .stackTooDeep(let maximum):
            (.stackTooDeep, "a stack holds \(maximum) view controllers at most: pop some")
        case .tooManyViewControllers(let maximum):
            (
                .stackTooDeep,
                "all stacks of a session together hold \(maximum) view controllers at most: pop some"
            )
        case .sessionTooLarge(let maximum):
            (
                .sessionTooLarge,
                "the titles, items and parameters of a session take \(maximum) bytes at most: "
                    + "shorten some, or pop view controllers"
            )
        case .notSelectable(let scene): (.notSelectable, "\(scene) has no rows to select")
        case .rowOutOfRange(let row, let count):
            (.rowOutOfRange, "there is no row \(row): \(rows(count))")
        case .noSegmentedControl:
            (.noSegmentedControl, "the current root has no segmented control")
        case .segmentOutOfRange(let index, let count):
            (.segmentOutOfRange, "there is no segment \(index): the segments are 0 to \(count - 1)")
        case .noBackButton: (.noBackButton, "the navigation bar shows no back button")
        case .noNavigationController:
            (
                .noNavigationController,
                "the view controller is not in a navigation controller: use present or show instead, "
                    + "or name another navigationController"
            )
        case .navigationControllerNotFound(let id):
            (.navigationControllerNotFound, "no navigation controller has the id \(id)")
        case .alreadyPresenting(let id):
            (
                .alreadyPresenting,
                "another layer is above the layer of \(id): dismiss the upper layer, or present from "
                    + "the visible view controller"
            )
        case .notOnScreen(let id):
            (.notOnScreen, "\(id) is not on screen: only a view controller on screen can do this")
        case .tooManyLayers(let maximum):
            (.tooManyLayers, "a window has \(maximum) layers at most: dismiss some")
        case .notDismissible:
            (
                .notDismissible,
                "the user cannot swipe the top layer down: its style or isModalInPresentation "
                    + "forbids the swipe; use the operation \(Dismiss.name)"
            )
        case .noTabBar: (.noTabBar, "no layer has a tab bar")
        case .tabOutOfRange(let index, let count):
            (.tabOutOfRange, "there is no tab \(index): the tabs are 0 to \(count - 1)")
        case .tabBarHidden:
            (
                .tabBarHidden,
                "the tab bar cannot be tapped: it is hidden, or a layer is above it; use the "
                    + "operation \(SelectTab.name)"
            )
        case .segueNotFound(let identifier, let scene):
            (.segueNotFound, "\(scene) has no segue with the identifier \(identifier)")
        case .segueNotExecutable(let identifier):
            (
                .segueNotExecutable,
                "the segue \(identifier) is custom: the service does not have the class of the app "
                    + "that performs the segue"
            )
        case .tapNotFound(let title, let nearest, let count):
            (
                .tapNotFound,
                "nothing with the title \(title) can be tapped"
                    + (nearest.isEmpty
                        ? "; GET screen lists all \(count) taps"
                        : "; did you mean \(nearest.joined(separator: ", "))?")
            )
        case .tapOutOfRange(let index, let place, let indices):
            (.tapOutOfRange, Self.detail(ofTap: index, in: place, indices))
        case .ambiguousTap(let title, let places):
            (
                .ambiguousTap,
                "\(title) can be tapped at \(places.joined(separator: ", ")): send place and index "
                    + "instead of the title"
            )
        case .notAUserAction(let name):
            (
                .notAUserAction,
                "the session is strict, and a user cannot do \(name) here: use tap, or a tap that "
                    + "GET screen lists"
            )
        case .linkNotFound(let link): (.linkNotFound, "no scene is at \(link)")
        case .loginRequired(let scene):
            (.loginRequired, "only users who are logged in can see \(scene): log in or sign up")
        case .alreadyLoggedIn: (.alreadyLoggedIn, "a user is logged in: log out first")
        case .noLogin: (.noLogin, "this app has no login")
        case .invalidParameters, .beyondLimit, .atEntry, .inBatch:
            (.invalidBody, "the body is invalid")
        }
    }

    private static func detail(ofTap index: Int, in place: Tap.Place, _ indices: [Int]) -> String {
        guard let last = indices.last else { return "the screen has no \(place.name) to tap" }
        let missing = "there is no \(place.name) \(index) to tap"
        guard indices.count > 1 else {
            return "\(missing): the only \(place.name) to tap is \(last)"
        }
        // Rows without an action cannot be tapped, so the indices can have gaps.
        return indices.count == last + 1
            ? "\(missing): the \(place.name)s to tap are 0 to \(last)"
            : "\(missing): the screen has \(indices.count) \(place.name)s to tap, from "
                + "\(indices[0]) to \(last); GET screen lists them"
    }

    private static func rows(_ count: Int) -> String {
        switch count {
        case 0: "the table is empty"
        case 1: "the only row is 0"
        default: "the rows are 0 to \(count - 1)"
        }
    }
}

extension Tap.Place {
    /// The place in words, such as "back button".
    fileprivate var name: String {
        switch self {
        case .leftItem: "left item"
        case .backButton: "back button"
        case .segment: "segment"
        case .rightItem: "right item"
        case .row: "row"
        case .accessory: "accessory button"
        case .button: "button"
        case .toolbarItem: "toolbar item"
        case .tab: "tab"
        }
    }
}
