import HTTPCore
import Sessions
import WaypostCore

/// Identifies the client of a request, and limits how many sessions and accounts a client may
/// create.
package struct RateLimits: Sendable {
    private let trustedProxies: [Network]
    private let sessions: RequestRateLimiter
    private let signUps: RequestRateLimiter

    /// Creates the limits.
    /// - Parameters:
    ///   - trustedProxies: the proxies whose `X-Forwarded-For` field is trusted.
    ///   - sessionQuota: the number of sessions that a client may open in ten minutes; 0 for no
    ///     limit.
    ///   - signUpQuota: the number of accounts that a client may create in ten minutes; 0 for no
    ///     limit.
    package init(
        trustedProxies: [Network] = [], sessionQuota: Int, signUpQuota: Int,
        environment: Environment
    ) {
        self.trustedProxies = trustedProxies
        let window = Duration.seconds(600)
        sessions = RequestRateLimiter(
            policy: "sessions", quota: sessionQuota, window: window, environment: environment)
        signUps = RequestRateLimiter(
            policy: "sign-ups", quota: signUpQuota, window: window, environment: environment)
    }

    /// Counts a request to open a session towards the client's quota.
    /// - Throws: an error if the client has used up its quota.
    func admitSession(_ request: Request) throws(RateLimitExceeded) {
        try sessions.admit(client(of: request))
    }

    /// Counts the copy of a session towards the client's quota of sessions, after `admitSession` has
    /// counted it as one. A large copy counts as many sessions, at most the whole quota, because a
    /// short request fills as much of the store with it.
    /// - Throws: an error if the client has used up its quota.
    func admitCopy(
        of session: SessionState, _ request: Request
    ) throws(RateLimitExceeded) {
        let weight = min(session.window.approximateSize / Self.sessionSize, sessions.quota)
        try sessions.admit(client(of: request), weight: weight - 1, counted: 1)
    }

    /// The size in bytes of the part of a copied session that counts as one session. The store
    /// keeps the copy once more when it is first changed, in the history of the copy.
    private static let sessionSize = 512

    /// Counts a request to create an account towards the client's quota.
    /// - Throws: an error if the client has used up its quota.
    func admitSignUp(_ request: Request) throws(RateLimitExceeded) {
        try signUps.admit(client(of: request))
    }

    /// Returns the text under which the requests of a client are counted (`NetworkAddress.client`).
    /// - Returns: nil for a client without a network address.
    func client(of request: Request) -> String? { address(of: request)?.client.description }

    /// Returns the address of the client. This is the peer of the connection or, if the peer is a
    /// trusted proxy, the last address in `X-Forwarded-For` that is not a trusted proxy. Each proxy
    /// appends the address of its caller to this field. Addresses that the client itself writes
    /// there come earlier, so they are ignored.
    ///
    /// An entry that is not an address ends the search. If the search finds only trusted proxies,
    /// the result is the last one that it finds.
    /// - Returns: nil for a client without a network address.
    private func address(of request: Request) -> NetworkAddress? {
        guard let peer = request.peer, isTrusted(peer) else { return request.peer }
        let hops = request.headers.combined("X-Forwarded-For")?.split(separator: ",") ?? []
        var nearest = peer
        for hop in hops.reversed() {
            guard let address = NetworkAddress(hop.trimmingBlanks()) else { break }
            nearest = address
            guard isTrusted(address) else { break }
        }
        return nearest
    }

    private func isTrusted(_ address: NetworkAddress) -> Bool {
        trustedProxies.contains { $0.contains(address) }
    }
}
