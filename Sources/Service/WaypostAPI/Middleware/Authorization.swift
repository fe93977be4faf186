import HTTPCore
import WaypostCore

/// Checks that a request has a bearer token of the purpose that its route requires. A client without
/// one learns nothing else. The route decides whether the token is valid.
final class Authorization: Middleware {
    func before(_ context: Context) throws(Problem) {
        guard let purpose = context.route?.bearer else { return }
        guard let token = context.request.bearerHash(purpose) else { throw Self.missing(purpose) }
        context.bearer = token
    }

    /// Returns the problem for a request that has no bearer token, or one that is not valid.
    static func missing(_ purpose: Secret.Purpose) -> Problem {
        switch purpose {
        case .session:
            .unauthorized("send the token that came with the session: Authorization: Bearer wps_…")
        case .credential:
            .unauthorized("send a valid credential from a log-in: Authorization: Bearer wpc_…")
        }
    }
}
