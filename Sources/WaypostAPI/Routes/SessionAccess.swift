import HTTPCore
import Navigation
import Sessions
import WaypostCore

/// Finds the session that a request names, provided that the request has the session's token.
struct SessionAccess: Sendable {
    let directory: SessionDirectory

    /// Calls `body` with the session. If the session is in memory, the call happens before this
    /// method returns; otherwise in a task, after the store has read the session.
    /// - Parameter respond: called in the task with the error of the store or of `body`.
    /// - Throws: the error of `body` if the session is in memory.
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

    /// Returns the session.
    /// - Throws: `.sessionNotFound` if the session does not exist or the token belongs to another
    ///   session.
    func session(_ credentials: SessionCredentials) async throws(Problem) -> Session {
        guard let id = credentials.session else { throw .sessionNotFound }
        let session: Session?
        do { session = try await directory.session(id, token: credentials.token) } catch {
            throw Problem(error)
        }
        guard let session else { throw .sessionNotFound }
        return session
    }

    /// Returns a function that tells whether a further token, made for another device, is still
    /// valid; nil for the session's first token, which is valid as long as the session exists.
    func validity(
        of token: SecretHash, for session: Session
    ) -> (@Sendable () async -> Bool)? {
        guard !session.isFirstToken(token) else { return nil }
        return { [directory] in
            // If the store cannot be read, the token counts as valid until the next check.
            (try? await directory.accepts(token, for: session)) ?? true
        }
    }

    /// Returns the session id and the token of a request.
    /// - Parameter parameters: the parameters of the request's path; the first one is the session
    ///   id.
    /// - Throws: `.unauthorized` if the request has no token.
    func credentials(
        _ parameters: PathParameters, _ request: Request
    ) throws(Problem) -> SessionCredentials {
        SessionCredentials(
            session: SessionID(parameters[0]), token: try tokenHash(of: request))
    }

    /// Returns the hash of the request's token.
    /// - Throws: `.unauthorized` if the request has no token.
    func tokenHash(of request: Request) throws(Problem) -> SecretHash {
        guard let token = request.bearerHash(.session) else {
            throw .unauthorized(
                "send the token that came with the session: Authorization: Bearer wps_…")
        }
        return token
    }
}

/// The session that a request names, and the hash of the token that the request presents.
struct SessionCredentials: Sendable {
    /// The id in the path; nil if it is not a valid session id.
    let session: SessionID?
    let token: SecretHash
}
