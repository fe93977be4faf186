import HTTPCore
import WaypostCore

extension Request {
    /// Returns the bearer token of the request (RFC 6750, section 2.1).
    /// - Returns: nil if the request has no bearer token, or a token that is not for `purpose`.
    func bearer(_ purpose: Secret.Purpose) -> Secret? {
        var secret: Secret?
        withBearer { secret = Secret(String(decoding: $0, as: UTF8.self), for: purpose) }
        return secret
    }

    /// Returns the hash of the bearer token, without copying the token.
    /// - Returns: nil if the request has no bearer token, or a token that is not for `purpose`.
    func bearerHash(_ purpose: Secret.Purpose) -> SecretHash? {
        var hash: SecretHash?
        withBearer { hash = SecretHash(of: $0, for: purpose) }
        return hash
    }

    /// Returns whether the request has a bearer token of the purpose that a route requires.
    func hasBearer(of route: Route) -> Bool { route.bearer.map { bearerHash($0) != nil } ?? true }

    /// Passes the bytes of the bearer token to `read`. Does nothing if the request has no bearer
    /// token.
    private func withBearer(_ read: (UnsafeRawBufferPointer) -> Void) {
        // A field that occurs twice is ambiguous and does not count.
        headers.withSingleValue("Authorization") { field in
            let scheme: StaticString = "bearer"
            let length = scheme.utf8CodeUnitCount
            guard field.count > length, field[length] == UInt8(ascii: " ") else { return }
            // The scheme is case-insensitive.
            for index in 0..<length where field[index] | 0x20 != scheme.utf8Start[index] { return }
            var start = length
            while start < field.count, field[start] == UInt8(ascii: " ") { start += 1 }
            read(UnsafeRawBufferPointer(rebasing: field[start...]))
        }
    }
}
