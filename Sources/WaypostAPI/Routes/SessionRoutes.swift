import HTTPCore
import JSON
import Navigation
import Sessions

/// `/v1/sessions`: opens, shows and ends sessions. A class, as each of its routes has it.
final class SessionRoutes: Sendable {
    let app: App
    let texts: AppTexts
    let tags: SessionTags
    let directory: SessionDirectory
    let access: SessionAccess
    let limits: ClientLimits
    private let bodies = SessionBodies()

    init(
        app: App, texts: AppTexts, tags: SessionTags, directory: SessionDirectory,
        access: SessionAccess, limits: ClientLimits
    ) {
        self.app = app
        self.texts = texts
        self.tags = tags
        self.directory = directory
        self.access = access
        self.limits = limits
    }

    var routes: [Route] {
        [
            Route(.post, "/v1/sessions", handler: open),
            read("/v1/sessions/{session}") { [self] (request, session) throws(Problem) in
                try show(request, session)
            },
            Route(.delete, "/v1/sessions/{session}", produces: [], handler: end),
            read("/v1/sessions/{session}/view-controllers") {
                [self] (request, session) throws(Problem) in
                try viewControllers(request, session)
            },
            read("/v1/sessions/{session}/screen") { [self] (request, session) throws(Problem) in
                try screen(request, session)
            },
            Route(.get, "/v1/sessions/{session}/events", handler: events),
        ]
    }

    /// Shows the state of a session: at once, unless it is to be read from the store first, or to
    /// fall back to the login root.
    private func read(
        _ path: String,
        _ respond: @escaping @Sendable (Request, SessionRecord) throws(Problem) -> Response
    ) -> Route {
        Route(
            .get, path,
            immediateHandler: { [access] (request, parameters) throws(Problem) in
                guard let session = try access.recordAtOnce(parameters, for: request) else {
                    return nil
                }
                return .here(try respond(request, session))
            },
            handler: { [access] (request, parameters) async throws(Problem) in
                try respond(request, try await access.record(parameters, for: request))
            })
    }

    private func open(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        _ = try Query(request)
        // Whoever opens a session has no token yet; one that is sent belongs to the key.
        let attempt: Attempt<SessionDirectory.Opened>? = try request.attempt(
            token: request.headers["Authorization"] ?? ""
        ) { [self] opened, _ in KeptResponse(response(to: opened)) }
        let (credential, lifecycle) = try request.read { body in
            (body.optionalString("credential"), body.lifecycle("lifecycle"))
        }
        try limits.admitSession(request)
        let answered: Answered<SessionDirectory.Opened>
        do {
            answered = try await directory.open(
                credential: credential, lifecycle: lifecycle, attempt: attempt)
        } catch {
            throw Problem(error)
        }
        return try Response(answered, response(to:))
    }

    private func response(to opened: SessionDirectory.Opened) -> Response {
        var response = Response.json(.created, tag: tags.tag(of: opened.session)) {
            $0.session(opened.session, texts, token: opened.token.text)
        }
        response.headers.append("Location", "/v1/sessions/\(opened.session.id)")
        return response
    }

    private func show(
        _ request: Request, _ session: SessionRecord
    ) throws(Problem) -> Response {
        _ = try Query(request)
        return .session(
            to: request, tags.tag(of: session),
            bodies.bytes(of: session) {
                var json = JSONWriter()
                json.session(session, texts)
                return json.bytes
            })
    }

    private func end(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        _ = try access.tokenHash(of: request)
        _ = try Query(request)
        let ended = { @Sendable in Response(.noContent) }
        let attempt: Attempt<Void>? = try request.attempt(
            token: request.bearer(.session)?.text ?? ""
        ) { _, _ in KeptResponse(ended()) }
        // The session of a repeated request is gone: the response is all that there is.
        var before: [UInt8]?
        do { if let attempt { before = try await directory.answer(to: attempt) } } catch {
            throw Problem(error)
        }
        if let before { return try Response(Answered<Void>.before(before), ended) }
        let session = try await access.session(parameters, for: request)
        let answered: Answered<Void>
        do {
            answered = try await directory.end(
                session, if: tags.precondition(of: request), attempt: attempt)
        } catch {
            throw tags.problem(error)
        }
        return try Response(answered, ended)
    }

    private func viewControllers(
        _ request: Request, _ session: SessionRecord
    ) throws(Problem) -> Response {
        _ = try Query(request)
        var json = JSONWriter()
        json.object { json in
            json.name("viewControllers")
            json.viewControllers(session.window.viewControllers, texts)
        }
        return .session(to: request, tags.tag(of: session), json.bytes)
    }

    private func screen(
        _ request: Request, _ session: SessionRecord
    ) throws(Problem) -> Response {
        let query = try Query(request, "offset", "limit")
        let offset = try query.position("offset")
        let limit = try query.limit()
        var json = JSONWriter()
        json.object { json in
            let top = session.window.topViewController
            let screen = top.screen
            json.member("viewController", "vc", top.id.number)
            json.member("scene", top.scene.name)
            json.member("title", top.effectiveTitle)
            json.screenMembers(screen)
            if case .table = screen {
                json.member("offset", offset)
                json.member("limit", limit)
                json.name("rows")
                json.rows(offset..<offset + limit, of: top, in: app, texts)
            }
            if screen == .form {
                json.name("fields")
                json.formFields(of: session.window.root)
            }
        }
        let tag = tags.tag(ofScreenIn: session, offset: offset, limit: limit)
        return .session(to: request, tag, json.bytes)
    }

    private func events(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        let session = try await access.session(parameters, for: request)
        let query = try Query(request, "after", "limit")
        let after = try query.position("after")
        let limit = try query.limit()
        let page: EventPage
        let last: Int
        do {
            page = try await session.events(after: after, limit: limit)
            last = try await session.current().window.lastEvent
        } catch {
            throw Problem(error)
        }
        guard after >= page.oldest - 1 else {
            throw Problem(
                .eventsGone,
                "the oldest event that is kept is \(page.oldest): ask with after=\(page.oldest - 1)"
            )
        }
        return .json { $0.eventPage(page.events, after: after, last: last) }
    }
}

extension BodyReader {
    mutating func lifecycle(_ name: String) -> LifecycleOrder {
        guard let text = optionalString(name) else { return .forwarded }
        if let order = LifecycleOrder(rawValue: text) { return order }
        let orders = LifecycleOrder.allCases.map(\.rawValue).joined(separator: " or ")
        note("expected \(orders)", member: name)
        return .forwarded
    }
}

extension JSONWriter {
    /// The fields of a form: those of log-in and sign-up at the login root.
    mutating func formFields(of root: Window.Root) {
        let fields: KeyValuePairs =
            root == .login ? ["username": "text", "password": "password"] : [:]
        array(fields) { json, field in
            json.object { json in
                json.member("name", field.key)
                json.member("type", field.value)
            }
        }
    }
}
