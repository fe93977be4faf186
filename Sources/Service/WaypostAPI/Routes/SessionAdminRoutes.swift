import HTTPCore
import JSON
import Sessions
import WaypostCore

/// The operator's routes for sessions, for example to list or end sessions. They are available only
/// on the admin socket, a local socket.
struct SessionAdminRoutes: Sendable {
    let directory: SessionDirectory

    var routes: [Route] {
        [
            Route(.post, "/sessions/list", task: list),
            Route(.post, "/sessions/show", task: show),
            Route(.post, "/sessions/events", task: events),
            Route(.post, "/sessions/end", task: end),
        ]
    }

    private func list(_ context: Context) async throws -> Answer.DeferredResponse {
        let (username, asked) = try context.request.read { ($0.string("username"), $0.page()) }
        let position = try asked.timePosition { SessionID($0) }
        let found = try await directory.sessions(
            ofAccount: username, after: position, limit: asked.readLimit)
        return { .json { $0.sessions(found, limit: asked.limit) } }
    }

    private func show(_ context: Context) async throws -> Answer.DeferredResponse {
        let (session, tokens) = try await session(try context.request.read(Self.id))
        let state: SessionState
        do {
            state = try await withCompletion(session.read)
        } catch {
            throw Self.problem(error, session.id)
        }
        let app = directory.app
        return {
            .object { json in
                json.name("session")
                json.session(state, in: app)
                json.objects("tokens", tokens) { $0.members(of: $1) }
            }
        }
    }

    private func events(_ context: Context) async throws -> Answer.DeferredResponse {
        let (id, asked) = try context.request.read { (Self.id(&$0), $0.page()) }
        let after = try asked.number()
        let session = try await session(id).session
        do throws(SessionError) {
            let page = try await session.history.events(after: after, limit: asked.readLimit).page
            return { .json { $0.eventPage(page.events, limit: asked.limit) } }
        } catch {
            throw Self.problem(error, session.id)
        }
    }

    private func end(_ context: Context) async throws -> Answer.DeferredResponse {
        guard let id = try context.request.read(Self.id) else { throw Self.notFound }
        do { try await directory.end(id) } catch { throw Self.problem(error, id) }
        return { Response(.noContent) }
    }

    @Sendable private static func id(_ body: inout BodyReader) -> SessionID? {
        let text = body.string("session")
        let id = SessionID(text)
        if id == nil, !text.isEmpty {
            body.note(
                "expected the \(SessionID.length) digits of a session's id", member: "session")
        }
        return id
    }

    private func session(
        _ id: SessionID?
    ) async throws -> (session: Session, tokens: [SessionToken]) {
        guard let id else { throw Self.notFound }
        do {
            return try await directory.sessionAndTokens(id)
        } catch {
            throw Self.problem(error, id)
        }
    }

    private static let notFound = Problem(.sessionNotFound, "no session has this id")

    /// Returns the problem for an error of a session. The error `.ended` gets a different text than
    /// in other routes, because the usual text mentions a token, and operators send none. The error
    /// for a damaged session names the command that removes the session.
    private static func problem(_ error: SessionError, _ id: SessionID) -> Problem {
        switch error {
        case .ended: notFound
        case .storage(let error) where error.isUnreadable:
            // Without a cause, because the log has no complete id of a session.
            Problem(
                .storageUnavailable, "\(error.reason); end it with `waypost session end \(id)`")
        default: Problem(error)
        }
    }
}
