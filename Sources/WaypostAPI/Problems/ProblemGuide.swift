import HTTPCore

/// Says what each kind of problem means and how to mend it. The text is at `/problems/{code}` and
/// in `docs/problems.md`.
enum ProblemGuide {
    static func text(of kind: Problem.Kind) -> String {
        "## \(kind.code)\n\n\(kind.title) (\(kind.status.code)). \(meanings[kind] ?? "")\n"
    }

    /// All of `docs/problems.md`.
    static var document: String {
        let introduction = """
            # Problems

            An error is answered with `application/problem+json` (RFC 9457). Decide by its `code`,
            which is stable; `detail` says what went wrong this time, and `errors` which members of
            the body are at fault. `instance` is the request's id, under which the log has the
            request. A request that is refused has changed nothing. `GET /problems/{code}` has the
            same text as this page.


            """
        return introduction + Problem.Kind.all.map(text).joined(separator: "\n")
    }

    static let meanings: [Problem.Kind: String] = [
        // The request
        .malformedRequest:
            """
        The request line or a header field cannot be read, or can be read in two ways. The \
        connection is closed. Send one Host, one Content-Length or `Transfer-Encoding: \
        chunked`, and a percent-encoded target.
        """,
        .notFound: "Nothing is at this path. `/openapi.yaml` lists all paths.",
        .methodNotAllowed: "The path does not take this method. `Allow` lists those that it takes.",
        .notAcceptable:
            """
        `Accept` excludes what is sent here, which `detail` names. Problems are sent whatever it \
        says.
        """,
        .contentTooLarge:
            """
        The body is larger than the service takes, 64 KiB at most: `detail` has the limit. Send \
        less, in several requests.
        """,
        .uriTooLong: "The request target has more than 8 KiB. The connection is closed.",
        .misdirectedRequest:
            """
        The service does not answer for the host that `Host` names. It listens on this machine alone, \
        and a web page of that name could otherwise use it (DNS rebinding). The operator allows \
        the name with `--allowed-host`. The connection is closed.
        """,
        .headerFieldsTooLarge:
            """
        There are more than 100 header fields, or the request line and they are larger than the \
        service takes: `detail` has the limit. The connection is closed. Send fewer cookies.
        """,
        .versionNotSupported: "The service speaks HTTP/1.1 and HTTP/1.0. The connection is closed.",
        .busy:
            """
        The service has as much to do as it may: passwords to check, requests, connections, or \
        files that are open; `detail` says which. Nothing was done. Try again after `Retry-After`.
        """,
        .timedOut:
            """
        The service has taken too long. Whether the request was done is not known: send it again \
        with the same `Idempotency-Key`.
        """,
        .shuttingDown:
            """
        The service is going down. Send the request again, with the same `Idempotency-Key`, when it \
        is back.
        """,
        .malformedJSON:
            """
        The body is not a JSON object in UTF-8: `detail` names line and column. Names that \
        are there twice, numbers beyond 64 bits and more than 32 levels are refused, too.
        """,
        .invalidQuery:
            "A query parameter is unknown, there twice, or out of its range. Limits are 1 to 1000.",
        .invalidBody:
            """
        Members of the body are missing, unknown or ill-typed, or break a rule: `errors` \
        names each with a JSON pointer.
        """,
        .unsupportedMediaType:
            """
        Send bodies as JSON in UTF-8, with `Content-Type: application/json`. `Accept` (or \
        `Accept-Patch`) lists what is taken.
        """,
        .invalidEntityTag:
            """
        `If-Match` or `If-None-Match` is neither `*` nor a list of entity tags. A tag stands in \
        quotes: `If-Match: "3-9c1f03ab"`. Send the `ETag` of a response as it is.
        """,
        .invalidIdempotencyKey:
            """
        `Idempotency-Key` must come once, with 1 to 255 visible ASCII characters. Take a new \
        UUID for each new request.
        """,
        .idempotencyKeyReused:
            """
        The key came with another request before. Take a new key for a new request; send the \
        same request to get its answer again.
        """,
        .tooManyIdempotencyKeys:
            """
        The session has as many idempotency records as it may (`--max-idempotency-keys`, 1,000), or \
        their responses take too many bytes. Nothing was done. Send the request without a key, or \
        wait until the first records expire (`--idempotency-ttl`, 24 hours).
        """,
        .preconditionFailed:
            """
        `If-Match` asks for another revision: somebody else has changed the session. `ETag` \
        has the present one. Read the session again and decide anew.
        """,
        // The client
        .unauthorized:
            """
        Send the token that came with the session: `Authorization: Bearer wps_…`. At \
        `/v1/account` send a credential that a log-in returned, `wpc_…`, that has not expired and \
        is not revoked.
        """,
        .sessionNotFound:
            """
        No session has this id and this token. It may have been ended, have expired, or be \
        another's: the answer does not tell.
        """,
        .eventsGone:
            """
        The events that are asked for are not kept any more. `detail` names the oldest that \
        are: go on from there, or read the session.
        """,
        .loginRequired:
            """
        The scene belongs to the app root, and nobody is logged in. Log in or sign up; a \
        deep link can be opened before and waits.
        """,
        .alreadyLoggedIn:
            """
        A user is logged in: log out first. Scenes of the login root cannot be shown \
        meanwhile.
        """,
        .noLogin: "The app has no login scene: nobody can log in or out.",
        .usernameTaken:
            """
        An account has this username, perhaps in other letters' case. Choose another, or log \
        in.
        """,
        .weakPassword:
            """
        The password is one of the 10,000 most common, or the same as the username: it would be \
        guessed at once. `errors` says which. Choose another; length counts, symbols need not be.
        """,
        .wrongPassword:
            """
        The password is wrong. At a log-in the username can be wrong instead, or the account \
        disabled: the answer does not tell which. The session's token stays good.
        """,
        .signUpClosed: "Only the operator makes accounts here (`waypost account add`).",
        .accountNotFound: "No account has this username. `waypost account list` lists them.",
        .accountChanged:
            "The account was changed by somebody else at the same time. Send the request again.",
        .credentialNotFound:
            """
        The account has no good credential of this id: it may have expired, or be revoked \
        already. `/v1/account/credentials` lists them.
        """,
        .tooManyRequests:
            """
        Too many wrong passwords for this username or from this address, too many of its \
        passwords that wait to be checked, or too many new sessions or accounts from this address. \
        Wait as long as `Retry-After` says; `detail` and `RateLimit-Policy` name the limit. `docs/security.md` \
        lists them all.
        """,
        // The data
        .authorNotFound: "No author of the catalog has this id. `/v1/catalog/authors` lists them.",
        .bookNotFound: "No book of this author has this id. The author lists them.",
        .coverNotFound: "The book has no cover, or its file has gone.",
        .imageNotFound: "The storyboard's data names no such image, or its file has gone.",
        .rangeNotSatisfiable:
            "The range starts behind the last byte. `Content-Range` has the size.",
        // Navigation
        .sceneNotFound: "The storyboard has no scene of this name.",
        .viewControllerNotFound:
            """
        No live view controller has this id: it was popped, or torn down by a log-in or \
        log-out. Ids are never used again.
        """,
        .linkNotFound: "No scene is at this link, or it names data that is not there.",
        .malformedLink: "A link is an absolute path, percent-encoded, without query and fragment.",
        .unsupportedViewController:
            "Navigation and tab bar controllers are containers: they are never on a stack.",
        .duplicateViewControllers: "An instance can be on a stack once only.",
        .emptyStack: "A stack holds at least one view controller.",
        .alreadyOnStack:
            "The instance is on the stack. Pop to it, or push a new instance of its scene.",
        .notOnStack:
            """
        The instance is alive but off the stack (a kept root of a segment), or no entry \
        below the top is of this scene.
        """,
        .stackTooDeep:
            """
        The stack would hold more view controllers than the service allows. Pop some, or set \
        a shorter stack.
        """,
        .sessionTooLarge:
            """
        The titles, items and parameters of the session would take more bytes together than the \
        service allows (`--max-session-size`). Shorten some, or pop view controllers.
        """,
        .notSelectable: "The top shows no table, or one that does not select.",
        .rowOutOfRange: "The table has no such row: rows count from 0.",
        .noSegmentedControl:
            "The app has no segments, or nobody is logged in: the control belongs to the app root.",
        .segmentOutOfRange: "There is no such segment: they count from 0.",
        .noBackButton:
            """
        The bar shows no back button: at the root, where the top hides it, or where left \
        items replace it. `pop` works there.
        """,
        // The service
        .sessionBusy:
            """
        Too many changes of this one session wait for their turn. Nothing was done: wait for \
        answers before you send more.
        """,
        .storageUnavailable:
            "The store cannot be written; nothing was changed. Try again; `/readyz` says when.",
        .outcomeUnknown:
            """
        The store began to write the change and did not confirm it: whether the change was made is \
        not known. Send the request again with the same `Idempotency-Key` once `/readyz` answers \
        200, or read the session.
        """,
        .internalError:
            """
        The service met an error that nobody has foreseen. Whether something was changed is not \
        known: send the request again with the same `Idempotency-Key`. The operator finds the \
        error in the log, under the `X-Request-ID` of the answer.
        """,
        .notReady: """
        The service cannot do what it is asked: `detail` says why. The store cannot be written, \
        or the service is going down (draining). Send no requests until it is ready.
        """,
    ]
}
