import HTTPCore

extension AccountRoutes {
    static let descriptions: [RouteDescription] = [
        RouteDescription(
            .get, "/v1/account", .account, "The account", answer: .json("Account")),
        RouteDescription(
            .post, "/v1/account/delete", .account, "Removes the account",
            """
            The request removes the account and its credentials. Sessions that are logged in to the \
            account end, and the sessions in which its user has logged in before lose their history.
            """,
            body: .init(schema: "DeleteAccount"), answer: .empty,
            problems: [.wrongPassword, .tooManyRequests]),
        RouteDescription(
            .put, "/v1/account/password", .account, "Sets a new password",
            """
            The request revokes all credentials except the one in the request. Sessions whose log-in \
            used them return to the login root at their next request. The service checks the rules \
            for the new password before it checks the old one.
            """,
            body: .init(schema: "ChangePassword"), answer: .empty,
            problems: [.wrongPassword, .weakPassword, .tooManyRequests]),
        RouteDescription(
            .get, "/v1/account/credentials", .account,
            "The account's valid credentials, the newest first", answer: .page(of: "Credential")),
        RouteDescription(
            .delete, "/v1/account/credentials", .account, "Revokes all credentials of the account",
            """
            The request logs the user out everywhere. With `except=current`, the credential of the \
            request stays valid. Sessions whose log-in used a revoked credential return to the login \
            root at their next request.
            """,
            parameters: ["Except"], answer: .empty, problems: RouteDescription.emptyBody),
        RouteDescription(
            .delete, "/v1/account/credentials/{credential}", .account, "Revokes a credential",
            """
            A request can also revoke its own credential. Sessions whose log-in used the revoked \
            credential return to the login root at their next request.
            """,
            answer: .empty, problems: RouteDescription.emptyBody + [.credentialNotFound]),
    ]

    static let deviceDescriptions: [RouteDescription] = [
        RouteDescription(
            .get, "/v1/account/sessions", .account,
            "The sessions that are logged in to the account, the newest first",
            """
            The list has the sessions of all valid credentials of the account. A token for one of \
            them is made with `POST /v1/account/sessions/{session}/tokens`.
            """,
            answer: .page(of: "AccountSession")),
        RouteDescription(
            .get, "/v1/account/sessions/{session}", .account, "One of the account's sessions",
            answer: .json("AccountSession"), problems: [.sessionNotFound, .sessionBusy]),
        RouteDescription(
            .delete, "/v1/account/sessions/{session}", .account, "Ends a session of the account",
            """
            The session and all its tokens become invalid. The request needs a credential of the \
            account that is logged in to the session, and no token of the session. All credentials \
            stay valid.
            """,
            answer: .empty, problems: RouteDescription.emptyBody + [.sessionNotFound, .sessionBusy]),
        RouteDescription(
            .get, "/v1/account/sessions/{session}/tokens", .account,
            "The further tokens of a session, the newest first",
            """
            The list has the names of the tokens, not the tokens. The first token of the session is \
            not in the list.
            """,
            answer: .page(of: "SessionToken"), problems: [.sessionNotFound, .sessionBusy]),
        RouteDescription(
            .post, "/v1/account/sessions/{session}/tokens", .account,
            "Creates a further token for a session",
            """
            With the token, another device can use the same session. The token becomes invalid when \
            it is revoked, when the credential of this request is revoked or expires, when the \
            session ends, and at the next log-in in the session. A session has at most 10 further \
            tokens.
            """,
            body: .init(schema: "CreateSessionToken"), answer: .created("NewSessionToken"),
            problems: [.sessionNotFound, .sessionBusy, .tooManyTokens, .credentialRevoked]),
        RouteDescription(
            .delete, "/v1/account/sessions/{session}/tokens/{token}", .account,
            "Revokes a further token of a session",
            "The next request with the token gets 404. Streams of changes that were opened with it end.",
            answer: .empty,
            problems: RouteDescription.emptyBody + [.sessionNotFound, .sessionBusy, .tokenNotFound]),
    ]
}
