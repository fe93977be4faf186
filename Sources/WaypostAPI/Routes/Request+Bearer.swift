import HTTPCore
import WaypostCore

extension Request {
    /// The bearer token (RFC 6750, section 2.1).
    /// - Returns: nil if there is none, or none that was made for this purpose.
    func bearer(_ purpose: Secret.Purpose) -> Secret? {
        var secret: Secret?
        withBearer { secret = Secret(String(decoding: $0, as: UTF8.self), for: purpose) }
        return secret
    }

    /// The hash of the bearer token, of which no copy is made.
    /// - Returns: nil, as above.
    func bearerHash(_ purpose: Secret.Purpose) -> SecretHash? {
        var hash: SecretHash?
        withBearer { hash = SecretHash(of: $0, for: purpose) }
        return hash
    }

    /// - Parameter read: called if there is a token, with what stands in its place.
    private func withBearer(_ read: (UnsafeRawBufferPointer) -> Void) {
        // A field that is there twice could be read in two ways.
        headers.withSingleValue("Authorization") { field in
            let scheme: StaticString = "bearer"
            let length = scheme.utf8CodeUnitCount
            guard field.count > length, field[length] == UInt8(ascii: " ") else { return }
            // It is the same in capitals.
            for index in 0..<length where field[index] | 0x20 != scheme.utf8Start[index] { return }
            var start = length
            while start < field.count, field[start] == UInt8(ascii: " ") { start += 1 }
            read(UnsafeRawBufferPointer(rebasing: field[start...]))
        }
    }
}
