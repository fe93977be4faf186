import HTTPCore
import JSON
import NavigationRules
import Sessions
import WaypostCore

/// The routes under `/v1/sessions`. The routes in this file show and end sessions; the extensions
/// have the others. The type is a class, so that all routes and requests share one instance.
final class SessionRoutes: Sendable {
    let app: App
    let tags: SessionTags
    let directory: SessionDirectory
    let limits: RateLimits
    private let encodedRows: EncodedRows

    init(tags: SessionTags, directory: SessionDirectory, limits: RateLimits) {
        app = directory.app
        self.tags = tags
        self.directory = directory
        self.limits = limits
        encodedRows = EncodedRows(app)
    }

    var routes: [Route] {
        [
            read("/v1/sessions/{session}", query: ["revision"], show),
            Route(.delete, "/v1/sessions/{session}", produces: [], task: end),
            read(
                "/v1/sessions/{session}/view-controllers",
                part { json, window in
                    json.name("viewControllers")
                    json.viewControllers(window.viewControllers)
                }),
            read(
                "/v1/sessions/{session}/screen", query: PageRequest.parameters + ["revision"],
                screen),
            read(
                "/v1/sessions/{session}/layers",
                part { json, window in
                    json.name("layers")
                    json.layers(window.layers)
                }),
            Route(
                .get, "/v1/sessions/{session}/events", query: PageRequest.parameters, task: events),
        ]
    }

    /// Returns a route that shows the state of a session.
    /// - Parameters:
    ///   - query: the query parameters of the route. With `revision`, a client selects an earlier
    ///     state.
    ///   - show: makes the response from the state.
    private func read(
        _ path: String, query: [String] = [],
        _ show: @escaping @Sendable (Request, SessionState) throws(Problem) -> Response
    ) -> Route {
        Route(.get, path, query: query) { [self] context throws(Problem) in
            if let revision = try Query(context.request).integer("revision", in: Query.revisions) {
                return .task { [self] in try await past(context, revision, show) }
            }
            let credentials = try credentials(context)
            switch cachedSession(credentials)?.readAtOnce() {
            case .success(let state): return .ready(try show(context.request, state))
            case .failure(let error): throw Problem(error)
            case nil: break
            }
            return .task { [self] in
                let session = try await session(credentials)
                let state = try await withCompletion(session.read)
                return { () throws(Problem) in try show(context.request, state) }
            }
        }
    }

    /// Returns the response that shows the state of a session at an earlier revision.
    /// - Parameter show: makes the response from the state.
    private func past(
        _ context: Context, _ revision: Int,
        _ show: @escaping @Sendable (Request, SessionState) throws(Problem) -> Response
    ) async throws -> Answer.DeferredResponse {
        let session = try await session(credentials(context))
        let state = try await session.history.state(
            at: revision, for: reader(of: context.request))
        return { () throws(Problem) in
            var response = try show(context.request, state)
            response.headers.append("Waypost-Revision", String(revision))
            return response
        }
    }

    private func show(
        _ request: Request, _ session: SessionState
    ) throws(Problem) -> Response {
        .session(to: request, tags.tag(of: session), json(of: session))
    }

    private func end(_ context: Context) async throws -> Answer.DeferredResponse {
        let request = context.request
        let credentials = try credentials(context)
        let idempotency: IdempotentRequest<ChangeResult>? = try request.idempotency(
            context.idempotencyKey, token: request.bearer(.session)?.text ?? ""
        ) { _, _ in StoredResponse(.empty) }
        let session: Session
        do { session = try await self.session(credentials) } catch {
            // The session of a repetition is deleted already, perhaps just now by an equal request,
            // and only the stored response remains.
            guard let idempotency, let stored = try await directory.response(to: idempotency)
            else { throw error }
            let result = IdempotentResult<ChangeResult>.stored(stored)
            return { () throws(Problem) in try Response(result) { _ in .empty } }
        }
        try request.read { _ in }
        do {
            let result = try await directory.end(
                session, if: tags.precondition(of: request), idempotency: idempotency)
            return { () throws(Problem) in try Response(result) { _ in .empty } }
        } catch {
            throw tags.problem(error)
        }
    }

    /// Returns a function that shows a part of a session.
    /// - Parameter write: writes the members of the part, a JSON object.
    private func part(
        _ write: @escaping @Sendable (inout JSONWriter, Window) -> Void
    ) -> @Sendable (Request, SessionState) -> Response {
        { [tags] request, session in
            let content = JSONWriter.bytes { $0.object { write(&$0, session.window) } }
            return .session(to: request, tags.tag(of: session), content)
        }
    }

    private func screen(
        _ request: Request, _ session: SessionState
    ) throws(Problem) -> Response {
        let asked = try Query(request).page()
        let screen = session.window.screen
        let (rows, next) = try Self.rows(asked, of: screen)
        let content = JSONWriter.bytes {
            $0.screen(screen, of: session.window, rows: rows, next: next, in: app, encodedRows)
        }
        let tag = tags.tag(
            ofScreenIn: session, firstRow: rows.lowerBound, limit: asked.limit)
        return .session(to: request, tag, content)
    }

    /// Returns the rows of a screen that are on a page, and the `after` of the following page,
    /// which is the number of the last row on the page; nil if no row follows.
    /// - Throws: `.invalidQuery` if the screen does not have the row after which the page begins. A
    ///   screen that is not a table has no rows, so any `after` is refused.
    private static func rows(
        _ asked: PageRequest, of screen: Screen
    ) throws(Problem) -> (rows: Range<Int>, next: String?) {
        var count = 0
        if case .table(let numberOfRows) = screen { count = numberOfRows }
        var first = 0
        if asked.after != nil {
            first = try asked.number() + 1
            guard first <= count else { throw PageRequest.unknownAfter }
        }
        let end = min(first + asked.limit, count)
        return (first..<end, end < count ? String(end - 1) : nil)
    }

    private func events(_ context: Context) async throws -> Answer.DeferredResponse {
        let session = try await session(credentials(context))
        let asked = try Query(context.request).page()
        let after = try asked.number()
        let (page, last) = try await session.history.events(after: after, limit: asked.readLimit)
        try PageRequest.check(after, last: last)
        guard after >= page.oldest - 1 else {
            throw Problem(
                .eventsGone,
                "the oldest event in the log is \(page.oldest): send after=\(page.oldest - 1)",
                after: page.oldest - 1)
        }
        return { .json { $0.eventPage(page.events, limit: asked.limit) } }
    }
}
