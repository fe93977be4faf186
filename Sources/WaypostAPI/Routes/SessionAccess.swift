import Accounts
import HTTPCore
import Navigation
import Sessions

/// Finds the session that a request names, if the request has its token.
struct SessionAccess: Sendable {
    let directory: SessionDirectory

    /// - Throws: `.unauthorized` without a token; `.sessionNotFound` if there is no such session, or
    ///   if the token is another's.
    func session(_ id: Substring, for request: Request) async throws(Problem) -> Session {
        try await session(id, token: token(of: request))
    }

    /// - Throws: `.sessionNotFound`, as above.
    func session(_ id: Substring, token: Secret) async throws(Problem) -> Session {
        guard let id = SessionID(id) else { throw .sessionNotFound }
        let session: Session?
        do { session = try await directory.session(id, token: token) } catch {
            throw Problem(error)
        }
        guard let session else { throw .sessionNotFound }
        return session
    }

    /// The session's state, if nothing has to be done before it may be shown.
    /// - Returns: nil if `record` has to look.
    /// - Throws: `.unauthorized` without a token.
    func recordAtOnce(_ id: Substring, for request: Request) throws(Problem) -> SessionRecord? {
        try residentSession(id, token: token(of: request))?.currentAtOnce()
    }

    /// A session that is in memory.
    /// - Returns: nil if `session` has to look.
    func residentSession(_ id: Substring, token: Secret) -> Session? {
        SessionID(id).flatMap { directory.residentSession($0, token: token) }
    }

    /// The session's state, as it is now.
    func record(_ id: Substring, for request: Request) async throws(Problem) -> SessionRecord {
        let session = try await session(id, for: request)
        do { return try await session.current() } catch { throw Problem(error) }
    }

    func token(of request: Request) throws(Problem) -> Secret {
        guard let token = request.bearer(.session) else {
            throw .unauthorized(
                "send the token that came with the session: Authorization: Bearer wps_…")
        }
        return token
    }
}

extension Request {
    /// Whether the change may be made: `If-Match` lists the revision's entity tag, or is absent.
    var precondition: Precondition? {
        guard let match = headers.combined("If-Match") else { return nil }
        return { EntityTag($0).isListed(in: match, weakly: false) }
    }
}
