import Accounts
import HTTPCore

extension Request {
    /// The bearer token (RFC 6750, section 2.1).
    /// - Returns: nil if there is none, or none that was made for this purpose.
    func bearer(_ purpose: Secret.Purpose) -> Secret? {
        // A field that is there twice could be read in two ways.
        guard let field = headers.only("Authorization") else { return nil }
        var rest = field.utf8[...]
        for letter in "bearer".utf8 {
            guard let byte = rest.popFirst(), byte | 0x20 == letter else { return nil }
        }
        guard rest.first == UInt8(ascii: " ") else { return nil }
        let token = rest.drop { $0 == UInt8(ascii: " ") }
        return Secret(Substring(token), for: purpose)
    }
}
