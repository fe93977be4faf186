import HTTPCore
import JSON
import NavigationRules
import Sessions
import WaypostCore

extension SessionRoutes {
    /// The routes that change a session: navigation, log-in and log-out.
    var navigationRoutes: [Route] {
        (Operation.all + [Batch.self]).map { route($0) } + [
            navigation(
                .patch, "/v1/sessions/{session}/view-controllers/{viewController}", read: patch),
            authentication(.signUp), authentication(.logIn),
            change(.post, Self.path(of: LogOut.name), read: nothing) { change, completion in
                change.session.perform(change.request(.logOut), completion: completion)
            },
            change(.patch, "/v1/sessions/{session}", shows: .session, read: name) {
                change, completion in
                change.session.perform(
                    change.request(.rename(change.body)), completion: completion)
            },
        ]
    }

    // MARK: Navigation

    private typealias DecodedOperation = (operation: Operation, animated: Bool?)

    static func path(of operation: String) -> String {
        "/v1/sessions/{session}/\(operation)"
    }

    private func route(_ type: any NavigationOperation.Type) -> Route {
        navigation(.post, Self.path(of: type.name)) { context throws(Problem) in
            try context.request.read { type.read(&$0) }
        }
    }

    private func patch(_ context: Context) throws(Problem) -> DecodedOperation {
        let patch = try context.request.read { body in
            let text = String(context.parameters[1])
            let id = ViewController.ID(text)
            let patch = Patch(id ?? ViewController.ID(number: 0), reading: &body)
            if id == nil {
                body.refuse(
                    NavigationError.Code.viewControllerNotFound.rawValue,
                    "no live view controller has the id \(text)", member: nil)
            }
            return patch
        }
        return (Operation(patch), nil)
    }

    private func navigation(
        _ method: Method, _ path: String,
        read: @escaping @Sendable (Context) throws(Problem) -> DecodedOperation
    ) -> Route {
        change(method, path, read: read) { change, completion in
            let (operation, animated) = change.body
            change.session.perform(
                change.request(.perform(operation, animated: animated)), completion: completion)
        }
    }

    // MARK: Log-in

    private typealias LogInBody = (username: String, password: String)

    private func authentication(_ submission: Scene.Submission) -> Route {
        change(.post, Self.path(of: submission.rawValue), read: logInBody) {
            [limits] change, completion in
            let request = change.context.request
            change.session.logIn(
                LogInRequest(
                    submission, change.body.username, change.body.password,
                    from: limits.client(of: request), if: change.precondition,
                    idempotency: change.idempotency, requestID: change.requestID
                ) { () throws(RateLimitExceeded) in
                    try limits.admitSignUp(request)
                },
                completion: completion)
        }
    }

    private func logInBody(_ context: Context) throws(Problem) -> LogInBody {
        try context.request.read { ($0.string("username"), $0.string("password")) }
    }

    /// Decodes a merge patch (RFC 7396), which leaves what it does not have. A name changes no
    /// revision, but it is part of the session and of its entity tag.
    private func name(_ context: Context) throws(Problem) -> String?? {
        try context.request.read { body in
            body.expect("name")
            return body.has("name") ? .some(body.name(orNull: true)) : nil
        }
    }

    private func nothing(_ context: Context) throws(Problem) {
        try context.request.read { _ in }
    }

    // MARK: Carrying out a change

    /// A decoded request to change a session, together with the session.
    private struct Change<Body: Sendable>: Sendable {
        let context: Context
        let session: Session
        let body: Body
        let precondition: Precondition?
        let idempotency: IdempotentRequest<ChangeResult>?

        /// The `X-Request-ID` that the client sent, which the session's history records; nil if the
        /// client sent no id, or one that is not safe to log.
        var requestID: String? { RequestIDs.ownID(of: context.request.headers) }

        func request(_ action: ChangeRequest.Action) -> ChangeRequest {
            ChangeRequest(
                action, if: precondition, idempotency: idempotency, requestID: requestID)
        }
    }

    private typealias Completion = Session.Completion<IdempotentResult<ChangeResult>>

    /// The content of the response to a change: the change and, unless the client prefers a minimal
    /// response, the session; or the session alone.
    private enum Shown { case change, session }

    /// Returns a route that finds the session, decodes the body and changes the session. A repeated
    /// request gets the stored response.
    /// - Parameters:
    ///   - read: decodes the request.
    ///   - perform: makes the change, and then calls `completion` once.
    private func change<Body: Sendable>(
        _ method: Method, _ path: String, shows shown: Shown = .change,
        read: @escaping @Sendable (Context) throws(Problem) -> Body,
        perform: @escaping @Sendable (Change<Body>, _ completion: @escaping Completion) -> Void
    ) -> Route {
        Route(method, path) { [self] context throws(Problem) in
            let idempotency = try context.request.idempotency(
                context.idempotencyKey, token: context.request.bearer(.session)?.text ?? "",
                storedResponse(showing: shown, for: context.request))
            @Sendable func answer(_ session: Session) throws(Problem) -> Answer {
                let change = Change(
                    context: context, session: session, body: try read(context),
                    precondition: tags.precondition(of: context.request), idempotency: idempotency)
                return .later { [self] reply in
                    perform(change) { self.send($0, shown, to: context, of: session, reply) }
                }
            }
            let credentials = try credentials(context)
            if let session = cachedSession(credentials) { return try answer(session) }
            return loading(credentials, answer)
        }
    }

    private func send(
        _ result: Result<IdempotentResult<ChangeResult>, SessionError>, _ shown: Shown,
        to context: Context, of session: Session, _ reply: @escaping Answer.Reply
    ) {
        switch result {
        case .success(.fresh(let change)):
            reply { [self] in
                shown == .session
                    ? .json(tag: tags.tag(of: change.session), json(of: change.session))
                    : response(to: change, for: context.request)
            }
        case .success(.stored(let bytes)):
            session.read { present in
                reply { [self] () throws(Problem) in try repeated(bytes, present) }
            }
        case .failure(let error):
            reply { [tags] () throws(Problem) in throw tags.problem(error) }
        }
    }

    /// Returns the response to a repeated request.
    /// - Parameter result: the session as it is now. A stored response that lacks the session shows
    ///   this state.
    private func repeated(
        _ bytes: [UInt8], _ result: Result<SessionState, SessionError>
    ) throws(Problem) -> Response {
        let present: SessionState
        do { present = try result.get() } catch { throw tags.problem(error) }
        let stored = try StoredResponse.read(bytes)
        try stored.checkLogIn(of: present)
        return stored.repeated { (json(of: present), tags.tag(of: present)) }
    }

    func json(of session: SessionState) -> [UInt8] {
        JSONWriter.bytes { $0.session(session, in: app) }
    }

    private func response(to change: ChangeResult, for request: Request) -> Response {
        let isMinimal = request.prefersMinimal
        var response = Response.json(tag: tags.tag(of: change.session)) {
            $0.change(change, session: isMinimal ? nil : change.session, in: app)
        }
        if isMinimal { response.headers.append("Preference-Applied", "return=minimal") }
        return response
    }

    /// The maximum size of a session in a stored response, in bytes of JSON. A larger session is
    /// not stored with the response, and the response to a repeated request then shows the
    /// session's current state.
    static let largestStoredSession = 4096

    private func storedResponse(
        showing shown: Shown, for request: Request
    ) -> @Sendable (ChangeResult, IdempotentRequest<ChangeResult>.Form) -> StoredResponse {
        if shown == .change, request.prefersMinimal {
            return { [self] change, _ in
                StoredResponse(response(to: change, for: request), showing: change.session)
            }
        }
        return { [self] change, form in
            let tag = tags.tag(of: change.session)
            let body =
                shown == .change
                ? JSONWriter.bytes { $0.change(change, session: nil, in: app) } : []
            let session = form == .whole ? json(of: change.session) : nil
            guard let session, session.count <= Self.largestStoredSession else {
                return StoredResponse(
                    .json(tag: tag, body), showing: change.session, lacksSession: true)
            }
            let whole = shown == .change ? StoredResponse.body(body, showing: session) : session
            return StoredResponse(.json(tag: tag, whole), showing: change.session)
        }
    }
}
