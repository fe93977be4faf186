/// The media types that a client accepts, from its `Accept` field (RFC 9110, sections 12.4.2 and
/// 12.5.1). Each resource has a single representation, so a preference for one type over another
/// has no effect. The only quality value that matters is 0, which refuses a type.
struct Accept {
    /// The media ranges, such as `application/*`, and whether the client accepts them: not those
    /// with `q=0`.
    private let ranges: [(name: String, isTaken: Bool)]

    /// Parses the value of an `Accept` field. Ignores elements of the list that are not
    /// well-formed. If no element is well-formed, the field accepts every media type.
    init(_ field: String) {
        ranges = field.split(separator: ",").compactMap { element in
            let parts = element.split(separator: ";").map { $0.trimmingBlanks().lowercased() }
            guard let name = parts.first, name.split(separator: "/").count == 2 else { return nil }
            return (name, !parts.dropFirst().contains(where: Self.isZero))
        }
    }

    /// Returns whether the client accepts a media type. The most specific range that matches `type`
    /// decides. Parameters other than `q` are ignored, because no resource has two representations
    /// that differ only in a parameter.
    /// - Parameter type: the media type in lower case.
    func takes(_ type: String) -> Bool {
        guard !ranges.isEmpty else { return true }
        let wide = type.prefix { $0 != "/" } + "/*"
        for name in [type[...], wide, "*/*"] {
            let found = ranges.filter { $0.name == name }
            if !found.isEmpty { return found.contains(where: \.isTaken) }
        }
        return false
    }

    /// Returns whether a parameter is a quality value of zero, such as `q=0` or `q=0.000`.
    private static func isZero(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q=0") else { return false }
        let fraction = parameter.dropFirst(3)
        return fraction.isEmpty
            || fraction.first == "." && fraction.dropFirst().allSatisfy { $0 == "0" }
    }
}

extension HeaderFields {
    /// Returns whether the client accepts at least one of these media types. A request without an
    /// `Accept` field accepts every type.
    /// - Parameter types: the media types in lower case. The result is true if the array is empty.
    public func accepts(oneOf types: [String]) -> Bool {
        guard !types.isEmpty, let field = combined("Accept"),
            field != "*/*"
        else { return true }
        return types.contains(where: Accept(field).takes)
    }
}

/// The value of a `Content-Type` field (RFC 9110, section 8.3.1).
public struct MediaType: Sendable, Equatable {
    /// The type and subtype in lower case, without parameters: `application/json`.
    public let essence: String
    /// The `charset` parameter in lower case; nil if the field has none.
    public let charset: String?

    /// Parses the value of a `Content-Type` field without checking its syntax. `essence` is empty
    /// if the field is empty.
    public init(_ field: String) {
        let parts = field.split(separator: ";").map { $0.trimmingBlanks().lowercased() }
        essence = parts.first ?? ""
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst(8)
        self.charset = charset.map { String($0).filter { $0 != "\"" } }
    }
}
