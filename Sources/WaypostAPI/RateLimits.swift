import Accounts
import HTTPCore
import WaypostCore

/// Finds the client of a request, and limits how often it may come.
public struct RateLimits: Sendable {
    private let trustedProxies: [Network]
    private let sessions: RequestRateLimiter
    private let signUps: RequestRateLimiter

    /// - Parameters:
    ///   - trustedProxies: only these are believed when they say whom they forward for.
    ///   - sessionQuota: how many sessions a client may open in ten minutes; 0 for no limit.
    ///   - signUpQuota: how many accounts it may make.
    public init(
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

    /// Counts a session that is to be opened.
    func admitSession(_ request: Request) throws(Problem) {
        do { try sessions.admit(client(of: request)) } catch { throw Problem(error) }
    }

    /// Counts an account that is to be made.
    func admitSignUp(_ request: Request) throws(RateLimitExceeded) {
        try signUps.admit(client(of: request))
    }

    /// Returns the name by which a client's requests are counted: its IPv4 address, or the network
    /// of 64 bits of its IPv6 address, as one client has all of that network.
    /// - Returns: nil for a client that has no address.
    func client(of request: Request) -> String? {
        guard let address = address(of: request) else { return nil }
        guard address.family == .v6 else { return address.description }
        return Network(address, prefixLength: 64)?.address.description
    }

    /// The nearest address that is not a trusted proxy's. Each proxy appends the address that it was
    /// called from, so that what a client itself sends stands before, and is not looked at.
    private func address(of request: Request) -> NetworkAddress? {
        guard let peer = request.peer, isTrusted(peer) else { return request.peer }
        let hops = request.headers.combined("X-Forwarded-For")?.split(separator: ",") ?? []
        var nearest = peer
        for hop in hops.reversed() {
            let text = hop.drop { $0 == " " || $0 == "\t" }.split(separator: " ").first ?? ""
            guard let address = NetworkAddress(text) else { break }
            nearest = address
            guard isTrusted(address) else { break }
        }
        return nearest
    }

    private func isTrusted(_ address: NetworkAddress) -> Bool {
        trustedProxies.contains { $0.contains(address) }
    }
}
