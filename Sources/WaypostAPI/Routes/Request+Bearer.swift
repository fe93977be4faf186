import Accounts
import HTTPCore

extension Request {
    /// The bearer token (RFC 6750, section 2.1).
    /// - Returns: nil if there is none, or none that was made for this purpose.
    func bearer(_ purpose: Secret.Purpose) -> Secret? {
        // A field that is there twice could be read in two ways.
        guard let field = headers.only("Authorization") else { return nil }
        var text = field
        let start = text.withUTF8 { bytes -> Int? in
            let scheme: StaticString = "bearer"
            let length = scheme.utf8CodeUnitCount
            guard bytes.count > length, bytes[length] == UInt8(ascii: " ") else { return nil }
            // It is the same in capitals.
            for index in 0..<length where bytes[index] | 0x20 != scheme.utf8Start[index] {
                return nil
            }
            return bytes[length...].firstIndex { $0 != UInt8(ascii: " ") }
        }
        guard let start else { return nil }
        return Secret(field[field.utf8.index(field.startIndex, offsetBy: start)...], for: purpose)
    }
}
