/// The media types that a client takes (RFC 9110, sections 12.4.2 and 12.5.1). Which of them it
/// likes best is not looked at: of each answer there is one form.
struct Accept {
    private struct Range {
        /// `application/json`, `application/*` or `*/*`.
        let name: String
        /// False for `q=0`.
        let isTaken: Bool
    }

    private let ranges: [Range]

    /// Ignores members that are not well-formed.
    init(_ field: String) {
        ranges = field.split(separator: ",").compactMap { element in
            let parts = element.split(separator: ";").map { $0.trimmingBlanks().lowercased() }
            guard let name = parts.first, name.split(separator: "/").count == 2 else { return nil }
            return Range(name: name, isTaken: !parts.dropFirst().contains(where: Self.isZero))
        }
    }

    /// - Parameter type: in lower case. The narrowest range that it is in decides; other parameters
    ///   than `q` are not compared, as no two forms differ by them.
    func takes(_ type: String) -> Bool {
        guard !ranges.isEmpty else { return true }
        let wide = type.prefix { $0 != "/" } + "/*"
        for name in [type[...], wide, "*/*"] {
            let found = ranges.filter { $0.name == name }
            if !found.isEmpty { return found.contains(where: \.isTaken) }
        }
        return false
    }

    /// `q=0`, `q=0.0`, `q=0.00` and `q=0.000`.
    private static func isZero(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q=0") else { return false }
        let fraction = parameter.dropFirst(3)
        return fraction.isEmpty
            || fraction.first == "." && fraction.dropFirst().allSatisfy { $0 == "0" }
    }
}

extension HeaderFields {
    /// Whether one of these media types may be sent. Where there are none, nothing is to be sent.
    public func accepts(oneOf types: [String]) -> Bool {
        guard !types.isEmpty, self["Accept"] != nil, let field = combined("Accept"),
            field != "*/*"
        else { return true }
        return types.contains(where: Accept(field).takes)
    }
}

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
