import HTTPCore
import NavigationRules
import Sessions
import WaypostCore

/// Methods that find the session that a request names, and check that the request has a token of
/// this session.
extension SessionRoutes {
    /// Returns the session if it is in memory.
    func cachedSession(_ credentials: SessionCredentials) -> Session? {
        credentials.session.flatMap { directory.cachedSession($0, token: credentials.token) }
    }

    /// Returns an answer that begins with a read of the session from the store.
    /// - Parameter answer: called in a task, with the session.
    func loading(
        _ credentials: SessionCredentials,
        _ answer: @escaping @Sendable (Session) throws(Problem) -> Answer
    ) -> Answer {
        .later { reply in
            Task.request { [self] in
                do { try answer(try await session(credentials)).send(to: reply) } catch {
                    reply(Answer.refusal(.reporting(error)))
                }
            }
        }
    }

    /// Returns the session with the id and the token in `credentials`.
    /// - Throws: `.sessionNotFound` if the session does not exist or the token belongs to another
    ///   session; the problem for an error of the store.
    func session(_ credentials: SessionCredentials) async throws -> Session {
        guard let id = credentials.session else { throw Problem.sessionNotFound }
        let session = try await directory.session(id, token: credentials.token)
        guard let session else { throw Problem.sessionNotFound }
        return session
    }

    /// Returns the account for which a session's token was made for another device.
    /// - Returns: nil for the session's first token.
    /// - Throws: `.sessionNotFound` if the token is no longer valid; the problem for an error of the
    ///   store.
    func owner(of token: SecretHash, for session: Session) async throws(Problem) -> Username? {
        if session.isFirstToken(token) { return nil }
        let owner: Username?
        do { owner = try await directory.owner(ofDeviceToken: token, for: session) } catch {
            throw Problem(error)
        }
        guard let owner else { throw .sessionNotFound }
        return owner
    }

    /// Returns the session id in the path of a request, and the hash of its bearer token.
    /// - Throws: `.unauthorized` if the request has no session token.
    func credentials(_ context: Context) throws(Problem) -> SessionCredentials {
        guard let token = context.bearer else { throw Authorization.missing(.session) }
        return SessionCredentials(session: SessionID(context.parameters[0]), token: token)
    }
}

/// The session that a request names, and the hash of the bearer token in the request.
struct SessionCredentials: Sendable {
    /// The session id in the path; nil if the text in the path is not a valid session id.
    let session: SessionID?
    let token: SecretHash
}
