import HTTPCore
import NavigationRules
import Sessions

extension SessionRoutes {
    private static let streamFields: HeaderFields = [
        "Content-Type": "text/event-stream", "Cache-Control": CacheControl.none,
        // This field makes nginx forward each message at once.
        "X-Accel-Buffering": "no",
    ]

    /// Returns the route that streams the changes of a session as server-sent events
    /// (`docs/live.md`).
    func changeRoute(_ streams: ChangeStreams) -> Route {
        Route(
            .get, "/v1/sessions/{session}/changes", query: ["after", "messages", "seconds"],
            produces: ["text/event-stream"]
        ) { [self] context throws(Problem) in try changes(context, streams) }
    }

    private func changes(_ context: Context, _ streams: ChangeStreams) throws(Problem) -> Answer {
        let request = context.request
        let credentials = try credentials(context)
        let query = Query(request)
        let start = try start(request, query)
        let messages = try query.integer("messages", in: 1...1000)
        let seconds = try query.integer("seconds", in: 1...3600)
        return .task { [self] in
            let revocationCount = streams.revocationCount
            let session = try await session(credentials)
            let owner = try await owner(of: credentials.token, for: session)
            let stream = try await streams.open(
                session, start, with: owner.map { (credentials.token, $0) }, seconds: seconds,
                messageLimit: messages, revocationCount: revocationCount)
            return { Response(.ok, headers: Self.streamFields, body: .stream(stream)) }
        }
    }

    /// Returns the position at which the stream starts. The field `Last-Event-ID`, which browsers
    /// send when they reconnect, takes precedence over the query parameter `after`.
    /// A malformed field is not an error, because a browser does not reconnect after an error
    /// response.
    /// - Throws: `.invalidQuery` if `after` is malformed.
    private func start(
        _ request: Request, _ query: Query
    ) throws(Problem) -> ChangeStream.Start {
        let after = query.text("after").map { ChangeCursor($0) }
        if case .some(nil) = after {
            throw Problem(
                .invalidQuery,
                "the query parameter after must be the id of a message, such as 9c1f03ab.5.12")
        }
        if let last = request.headers["Last-Event-ID"], !last.isEmpty {
            return ChangeCursor(last).map { .success($0) } ?? .failure(.unknownCursor)
        }
        return after.flatMap(\.self).map { .success($0) } ?? .failure(.opened)
    }
}
