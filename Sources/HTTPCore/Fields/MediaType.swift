/// The value of a `Content-Type` field (RFC 9110, section 8.3.1).
public struct MediaType: Sendable, Equatable {
    /// In lower case, without parameters: `application/json`.
    public let essence: String
    /// In lower case; nil if there is none.
    public let charset: String?

    public init(_ field: String) {
        let parts = field.split(separator: ";").map { $0.trimmingBlanks().lowercased() }
        essence = parts.first ?? ""
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst(8)
        self.charset = charset.map { String($0).filter { $0 != "\"" } }
    }
}
