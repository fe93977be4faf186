import Accounts
import HTTPCore
import Navigation
import Sessions

/// Finds the session that a request names, if the request has its token.
struct SessionAccess: Sendable {
    let directory: SessionDirectory

    /// - Throws: `.unauthorized` without a token; `.sessionNotFound` if there is no such session, or
    ///   if the token is another's.
    func session(
        _ parameters: PathParameters, for request: Request
    ) async throws(Problem) -> Session {
        try await session(of: claim(parameters, request))
    }

    /// - Throws: `.sessionNotFound`, as above.
    func session(of claim: SessionClaim) async throws(Problem) -> Session {
        guard let id = claim.session else { throw .sessionNotFound }
        let session: Session?
        do { session = try await directory.session(id, token: claim.token) } catch {
            throw Problem(error)
        }
        guard let session else { throw .sessionNotFound }
        return session
    }

    /// The session's state, if nothing has to be done before it may be shown.
    /// - Returns: nil if `record` has to look.
    /// - Throws: `.unauthorized` without a token.
    func recordAtOnce(
        _ parameters: PathParameters, for request: Request
    ) throws(Problem) -> SessionRecord? {
        try residentSession(of: claim(parameters, request))?.currentAtOnce()
    }

    /// A session that is in memory.
    /// - Returns: nil if `session` has to look.
    func residentSession(of claim: SessionClaim) -> Session? {
        claim.session.flatMap { directory.residentSession($0, token: claim.token) }
    }

    /// The session's state, as it is now.
    func record(
        _ parameters: PathParameters, for request: Request
    ) async throws(Problem) -> SessionRecord {
        let session = try await session(parameters, for: request)
        do { return try await session.current() } catch { throw Problem(error) }
    }

    /// - Parameter parameters: of the request's path; the first is the session.
    /// - Throws: `.unauthorized` without a token.
    func claim(_ parameters: PathParameters, _ request: Request) throws(Problem) -> SessionClaim {
        SessionClaim(session: SessionID(parameters[0]), token: try tokenHash(of: request))
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

/// The session that a request names, and the token that it bears.
struct SessionClaim {
    /// Nil if what the path has is none.
    let session: SessionID?
    let token: SecretHash
}
