import Accounts
import HTTPCore

extension Request {
    /// The bearer token (RFC 6750, section 2.1).
    /// - Returns: nil if there is none, or none that was made for this purpose.
    func bearer(_ purpose: Secret.Purpose) -> Secret? {
        let fields = headers.values("Authorization")
        let parts = (fields.first ?? "").split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            return nil
        }
        return Secret(String(parts[1]), for: purpose)
    }
}
