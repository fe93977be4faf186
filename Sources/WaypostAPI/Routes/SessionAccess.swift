import HTTPCore
import Navigation
import Sessions
import WaypostCore

/// Finds the session that a request names, if the request has its token.
struct SessionAccess: Sendable {
    let directory: SessionDirectory

    /// Calls `body` with the session: before this returns if the session is in memory, else when the store
    /// has read it.
    /// - Throws: what `body` throws; later this is the response.
    func withSession(
        _ credentials: SessionCredentials,
        respond: @escaping @Sendable (@escaping Route.ResponseMaker) -> Void,
        _ body: @escaping @Sendable (Session) throws(Problem) -> Void
    ) throws(Problem) {
        if let id = credentials.session,
            let session = directory.cachedSession(id, token: credentials.token)
        {
            return try body(session)
        }
        Task.request {
            do throws(Problem) {
                try body(try await session(credentials))
            } catch {
                respond { () throws(Problem) in throw error }
            }
        }
    }

    /// - Throws: `.sessionNotFound` if there is no such session, or if the token is another session's.
    func session(_ credentials: SessionCredentials) async throws(Problem) -> Session {
        guard let id = credentials.session else { throw .sessionNotFound }
        let session: Session?
        do { session = try await directory.session(id, token: credentials.token) } catch {
            throw Problem(error)
        }
        guard let session else { throw .sessionNotFound }
        return session
    }

    /// - Parameter parameters: of the request's path; the first is the session.
    /// - Throws: `.unauthorized` without a token.
    func credentials(
        _ parameters: PathParameters, _ request: Request
    ) throws(Problem) -> SessionCredentials {
        SessionCredentials(
            session: SessionID(parameters[0]), token: try tokenHash(of: request))
    }

    /// - Throws: `.unauthorized` without a token.
    func tokenHash(of request: Request) throws(Problem) -> SecretHash {
        guard let token = request.bearerHash(.session) else {
            throw .unauthorized(
                "send the token that came with the session: Authorization: Bearer wps_…")
        }
        return token
    }
}

/// The session that a request names, and the token that it shows.
struct SessionCredentials: Sendable {
    /// Nil if the path holds no session id.
    let session: SessionID?
    let token: SecretHash
}
