extension SessionRoutes {
    static let descriptions: [RouteDescription] = [
        RouteDescription(
            .post, "/v1/sessions", .sessions, "Opens a session",
            """
            The session starts at the app root if the credential is valid or the app has no login, \
            otherwise at the login root. An unusable credential is not an error: `auth.reason` has \
            the reason. With `open`, the session shows a link from the start; if the link cannot be \
            opened, the service opens no session. `flags` gives flags other values than the \
            storyboard's. With `fork`, the session starts as a copy of \
            another session at its current or an earlier revision; the request then needs a token of \
            that session. If that session is logged in, the copy is logged in with the credential of \
            the log-in, or, for a further token, with the credential with which the further token \
            was made. Without `credential` and `fork`, an `Idempotency-Key` needs at least 22 \
            characters, because the stored response has a token.
            """,
            body: .init(schema: "CreateSession", isOptional: true),
            answer: .created("NewSession", ["Location", "ETag"]),
            problems: revisionProblems + [
                .unexpectedAuthorization, .unauthorized, .sessionNotFound, .tooManyRequests,
                .storageUnavailable, .sessionBusy,
            ],
            refusals: [
                .malformedLink, .linkNotFound, .foreignLink, .alreadyLoggedIn, .flagNotFound,
                .noNavigationController, .stackTooDeep, .tooManyLayers, .sessionTooLarge,
            ]),
        RouteDescription(
            .get, "/v1/sessions/{session}", .sessions,
            "The session at its current revision, or at an earlier one",
            parameters: ["Revision"], answer: revised("Session"), caching: .validated),
        RouteDescription(
            .patch, "/v1/sessions/{session}", .sessions, "Names the session",
            """
            The name is part of the session and of its entity tag, but changes no revision and sends \
            no message on a stream; `null` removes the name, and a request without the member changes \
            nothing. `GET /v1/account/sessions` shows the name, too.
            """,
            body: .init(schema: "NameSession", isOptional: true, isMergePatch: true),
            answer: .init(schema: "Session", headers: ["ETag"]), problems: [.credentialRevoked]),
        RouteDescription(
            .delete, "/v1/sessions/{session}", .sessions, "Ends the session",
            "The session and its token become invalid. A credential stays valid.", answer: .empty,
            problems: RouteDescription.emptyBody),
        RouteDescription(
            .get, "/v1/sessions/{session}/screen", .sessions,
            "The content of the top view controller",
            parameters: ["Revision", "Limit", "After"], answer: revised("Screen"),
            caching: .validated),
        RouteDescription(
            .get, "/v1/sessions/{session}/events", .sessions, "The lifecycle log",
            """
            Every lifecycle callback since the session was opened, in order. `after` is the `seq` of \
            the last event that the client has, so that a client that has all can ask for later ones. \
            The member `events` repeats `items`, for clients of the form before API 1.0.
            """,
            answer: .page(of: "LifecycleEvent"), problems: [.eventsGone]),
        RouteDescription(
            .get, "/v1/sessions/{session}/layers", .navigation, "The layers of the window",
            answer: .json("Layers"), caching: .validated),
        RouteDescription(
            .get, "/v1/sessions/{session}/view-controllers", .navigation, "The navigation stack",
            answer: .json("Stack"), caching: .validated),
    ]

    static let historyDescriptions: [RouteDescription] = [
        RouteDescription(
            .get, "/v1/sessions/{session}/history", .sessions, "The changes of the session",
            """
            The request of every acknowledged change, in order, without passwords. `after` is the \
            `revision` of the last change that the client has. The history has the last \
            `--history-retention` changes.
            """,
            answer: .page(of: "RecordedChange"), caching: .validated,
            problems: [.revisionGone],
            refusals: [.sessionTooLarge]),
        RouteDescription(
            .get, "/v1/sessions/{session}/flow", .sessions,
            "The walk of the session as a flow file",
            """
            The changes of the session as steps of a flow for `waypost test` (`docs/testing.md`), \
            with an expectation after each step. Because a flow begins in a new session, its first \
            step is the start of this session, or the last log-in or log-out at or before `from`. \
            Without `from`, changes under a log-in that has ended are left out, with all before them.
            """,
            parameters: ["From"], answer: .content("application/yaml"), caching: .untagged,
            problems: RouteDescription.revisionProblems, refusals: [.sessionTooLarge]),
    ]

    static let changeDescriptions = [
        RouteDescription(
            .get, "/v1/sessions/{session}/changes", .sessions,
            "The changes of a session as they happen",
            """
            A stream of server-sent events: messages `snapshot`, `change` and `end`, and comments, \
            which keep the connection alive. It ends with the session or after `--stream-lifetime`; \
            `messages` and `seconds` end it earlier. The `data` of a message is one line of JSON; \
            `x-event-schemas` has its schemas by the name of the event. The `id` of a message is the \
            cursor with which a client continues after a lost connection. A new stream begins with a \
            message `snapshot`. A continued stream begins with one message `change`, which has \
            everything that the client missed. `docs/live.md` describes the guarantees, and all \
            reasons for the end of a stream. `Examples/Clients` has clients that continue after lost \
            connections.
            """,
            parameters: ["StreamAfter", "LastEventID", "Messages", "Seconds"],
            answer: .content("text/event-stream"), problems: [.tooManyStreams, .notFound])
    ]

    private static let revisionProblems = RouteDescription.revisionProblems

    /// The session or a part of it, possibly at an earlier revision.
    private static func revised(_ schema: String) -> RouteDescription.Answer {
        .init(schema: schema, headers: ["WaypostRevision"])
    }
}
