import HTTPCore
import NavigationRules
import Sessions
import WaypostCore

/// Finds the session that a request names, and checks that the request has a token of this session.
struct SessionAccess: Sendable {
    let directory: SessionDirectory

    /// Finds the session and passes it to `body`. If the session is in memory, `body` runs before
    /// this method returns. Otherwise `body` runs later in a task, after the store has loaded the
    /// session.
    /// - Parameter respond: gets the error if the lookup or `body` fails in the task.
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

    /// Returns the session with the id and the token in `credentials`.
    /// - Throws: `.sessionNotFound` if the session does not exist or the token belongs to another
    ///   session; the problem for an error of the store.
    func session(_ credentials: SessionCredentials) async throws(Problem) -> Session {
        guard let id = credentials.session else { throw .sessionNotFound }
        let session: Session?
        do { session = try await directory.session(id, token: credentials.token) } catch {
            throw Problem(error)
        }
        guard let session else { throw .sessionNotFound }
        return session
    }

    /// Returns a token of a session that was made for another device.
    /// - Throws: `.sessionNotFound` if the token is no longer valid; the problem for an error of the
    ///   store.
    func deviceToken(
        _ token: SecretHash, for session: Session
    ) async throws(Problem) -> DeviceToken {
        let owner: Username?
        do { owner = try await directory.owner(ofDeviceToken: token, for: session) } catch {
            throw Problem(error)
        }
        guard let owner else { throw .sessionNotFound }
        return DeviceToken(account: owner.key) { [directory] in
            // If the store cannot be read, the token counts as valid until the next check.
            (try? await directory.accepts(token, for: session)) ?? true
        }
    }

    /// Returns the session id in the path of a request, and the hash of the request's bearer token.
    /// - Parameter parameters: the parameters of the path; the first one is the session id.
    /// - Throws: `.unauthorized` if the request has no session token.
    func credentials(
        _ parameters: PathParameters, _ request: Request
    ) throws(Problem) -> SessionCredentials {
        SessionCredentials(
            session: SessionID(parameters[0]), token: try tokenHash(of: request))
    }

    /// Returns the hash of the request's bearer token.
    /// - Throws: `.unauthorized` if the request has no session token.
    func tokenHash(of request: Request) throws(Problem) -> SecretHash {
        guard let token = request.bearerHash(.session) else {
            throw .unauthorized(
                "send the token that came with the session: Authorization: Bearer wps_…")
        }
        return token
    }
}

/// The session that a request names, and the hash of the bearer token in the request.
struct SessionCredentials: Sendable {
    /// The session id in the path; nil if the text in the path is not a valid session id.
    let session: SessionID?
    let token: SecretHash
}
