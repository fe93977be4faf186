import Accounts
import HTTPCore
import JSON
import Navigation
import Sessions

/// The routes that change a session: navigation, and who is logged in.
struct NavigationRoutes: Sendable {
    let texts: AppTexts
    let tags: SessionTags
    let access: SessionAccess
    let limits: ClientLimits

    var routes: [Route] {
        NavigationOperation.allCases.map(route) + [
            change(.post, "/v1/sessions/{session}/batch", read: batch),
            change(
                .patch, "/v1/sessions/{session}/view-controllers/{viewController}", read: update),
            Route(.post, "/v1/sessions/{session}/sign-up", handler: signUp),
            Route(.post, "/v1/sessions/{session}/log-in", handler: logIn),
            Route(.post, "/v1/sessions/{session}/log-out", handler: logOut),
        ]
    }

    private func route(_ operation: NavigationOperation) -> Route {
        let recent = RecentOperations()
        return change(operation.method, "/v1/sessions/{session}/\(operation.rawValue)") {
            (request, _) throws(Problem) in
            // Said of the request, not of its body, which may be known.
            if !request.body.isEmpty { try request.checkMediaType() }
            return try recent.reading(of: request.body) { () throws(Problem) in
                try request.read { body in
                    let decoded = operation.decode(&body)
                    let animated = body.optionalBoolean("animated")
                    return (decoded, animated ?? operation.isAnimatedByDefault)
                }
            }
        }
    }

    private func batch(
        _ request: Request, _ parameters: PathParameters
    ) throws(Problem) -> RecentOperations.Reading {
        try request.read { body in
            let batch = Batch(&body)
            return (.batch(batch.operations), batch.animated)
        }
    }

    private func update(
        _ request: Request, _ parameters: PathParameters
    ) throws(Problem) -> RecentOperations.Reading {
        try request.read { body in
            let id = body.viewControllerID(String(parameters[1]), member: nil)
            return (.update(id, body.viewControllerChanges()), false)
        }
    }

    /// Changes the screen: at once where that can be.
    private func change(
        _ method: Method, _ path: String,
        read:
            @escaping @Sendable (Request, PathParameters) throws(Problem) ->
            RecentOperations.Reading
    ) -> Route {
        Route(
            method, path,
            immediateHandler: { (request, parameters) throws(Problem) in
                try changeAtOnce(request, parameters, read)
            },
            handler: { (request, parameters) async throws(Problem) in
                try await respond(
                    to: request, parameters,
                    reading: { (request) throws(Problem) in try read(request, parameters) }
                ) { (session, body, attempt) async throws(SessionError) in
                    try await session.perform(
                        body.operation, animated: body.animated,
                        if: tags.precondition(of: request), attempt: attempt)
                }
            })
    }

    /// - Returns: nil if it needs a task: the store has to be asked first, or another change has its
    ///   turn.
    private func changeAtOnce(
        _ request: Request, _ parameters: PathParameters,
        _ read: (Request, PathParameters) throws(Problem) -> RecentOperations.Reading
    ) throws(Problem) -> Route.ImmediateAnswer? {
        guard request.headers["Idempotency-Key"] == nil else { return nil }
        let claim = try access.claim(parameters, request)
        _ = try Query(request)
        guard let session = access.residentSession(of: claim) else { return nil }
        let body = try read(request, parameters)
        do {
            if let change = try session.performAtOnce(
                body.operation, animated: body.animated, if: tags.precondition(of: request))
            {
                return .here(response(to: change, for: request))
            }
            let pending = PendingAnswer()
            let hasBegun = try session.perform(
                body.operation, animated: body.animated, if: tags.precondition(of: request)
            ) { change in
                // Written while the change is in this processor's caches, though not sent until it
                // is stored.
                let response = response(to: change, for: request)
                return { pending.bring($0.map { response }.mapError { tags.problem($0) }) }
            }
            return hasBegun ? .pending(pending) : nil
        } catch {
            throw tags.problem(error)
        }
    }

    // MARK: Who is logged in

    private func signUp(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        try await respond(to: request, parameters, reading: entry) {
            (session, entry, attempt) async throws(SessionError) in
            do throws(Throttled) {
                try limits.admitSignUp(request)
            } catch {
                throw .account(.throttled(error))
            }
            return try await session.signUp(
                entry.username, entry.password, from: limits.client(of: request),
                if: tags.precondition(of: request), attempt: attempt)
        }
    }

    private func logIn(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        try await respond(to: request, parameters, reading: entry) {
            (session, entry, attempt) async throws(SessionError) in
            try await session.logIn(
                entry.username, entry.password, from: limits.client(of: request),
                if: tags.precondition(of: request), attempt: attempt)
        }
    }

    private func entry(
        _ request: Request
    ) throws(Problem) -> (username: String, password: String) {
        try request.read { ($0.string("username"), $0.string("password")) }
    }

    private func nothing(_ request: Request) throws(Problem) { try request.read { _ in } }

    private func logOut(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        try await respond(to: request, parameters, reading: nothing) {
            (session, _, attempt) async throws(SessionError) in
            try await session.logOut(if: tags.precondition(of: request), attempt: attempt)
        }
    }

    /// Finds the session, reads the body, changes the session, and answers with the change, or as
    /// the request was answered before.
    private func respond<Body>(
        to request: Request, _ parameters: PathParameters,
        reading read: (Request) throws(Problem) -> Body,
        _ perform: (Session, Body, Attempt<Change>?) async throws(SessionError) -> Answered<Change>
    ) async throws(Problem) -> Response {
        // Whoever has none at all learns nothing of the rest.
        let claim = try access.claim(parameters, request)
        _ = try Query(request)
        let attempt: Attempt<Change>? = try request.attempt(
            token: request.bearer(.session)?.text ?? "", keptResponse(for: request))
        let session = try await access.session(of: claim)
        let body = try read(request)
        let answered: Answered<Change>
        do { answered = try await perform(session, body, attempt) } catch {
            throw tags.problem(error)
        }
        switch answered {
        case .now(let change): return response(to: change, for: request)
        case .before(let bytes):
            return try await KeptResponse.read(bytes).replayed { () async throws(Problem) in
                try await present(session)
            }
        }
    }

    private func response(to change: Change, for request: Request) -> Response {
        let isMinimal = request.prefersMinimal
        let response = Response.json(tag: tags.tag(of: change.session)) {
            $0.change(change, session: isMinimal ? nil : change.session, texts)
        }
        return isMinimal ? response.applyingMinimalPreference() : response
    }

    /// In bytes. A larger session is not kept, but shown as it is when the request comes again.
    private static let largestKeptSession = 4096

    private func keptResponse(
        for request: Request
    ) -> @Sendable (Change, Attempt<Change>.Form) -> KeptResponse {
        if request.prefersMinimal {
            { change, _ in KeptResponse(response(to: change, for: request)) }
        } else {
            keptResponse
        }
    }

    private func keptResponse(to change: Change, _ form: Attempt<Change>.Form) -> KeptResponse {
        let tag = tags.tag(of: change.session)
        var json = JSONWriter()
        json.change(change, session: nil, texts)
        if form == .whole {
            var session = JSONWriter()
            session.session(change.session, texts)
            if session.bytes.count <= Self.largestKeptSession {
                let body = KeptResponse.body(json.bytes, showing: session.bytes)
                return KeptResponse(.json(tag: tag, body))
            }
        }
        return KeptResponse(.json(tag: tag, json.bytes), lacksSession: true)
    }

    /// The session as it is now.
    private func present(
        _ session: Session
    ) async throws(Problem) -> (json: [UInt8], tag: EntityTag) {
        let record: SessionRecord
        do { record = try await session.current() } catch { throw tags.problem(error) }
        var json = JSONWriter()
        json.session(record, texts)
        return (json.bytes, tags.tag(of: record))
    }
}
