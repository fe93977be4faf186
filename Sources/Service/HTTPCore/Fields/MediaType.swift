/// A media type, or a range of them in an `Accept` field, with its parameters, all in lower case (RFC
/// 9110, sections 8.3.1 and 12.5.1). The syntax is not checked.
public struct MediaType: Sendable, Equatable {
    /// The type and subtype without parameters: `application/json`. Empty if the field is empty.
    public let essence: String
    private let parameters: [String]

    /// Parses the value of a `Content-Type` field, or an element of an `Accept` field.
    public init<Field: StringProtocol>(_ field: Field) where Field.SubSequence == Substring {
        let parts = field.split(separator: ";").map { $0.trimmingBlanks().lowercased() }
        essence = parts.first ?? ""
        parameters = Array(parts.dropFirst())
    }

    /// The `charset` parameter; nil if the field has none.
    public var charset: String? {
        parameters.first { $0.hasPrefix("charset=") }.map { $0.dropFirst(8).filter { $0 != "\"" } }
    }

    /// Whether a parameter is a quality value of zero, such as `q=0` or `q=0.000`.
    fileprivate var isRefused: Bool {
        parameters.contains { parameter in
            guard parameter.hasPrefix("q=0") else { return false }
            let fraction = parameter.dropFirst(3)
            return fraction.isEmpty
                || fraction.first == "." && fraction.dropFirst().allSatisfy { $0 == "0" }
        }
    }
}

extension HeaderFields {
    /// Returns whether the client accepts at least one of these media types. A request without an
    /// `Accept` field accepts every type, and so does a field without a well-formed element.
    ///
    /// Each resource has a single representation, so a preference for one type over another has no
    /// effect. The only quality value that matters is 0, which refuses a type (RFC 9110, section
    /// 12.4.2). Parameters other than `q` are ignored.
    /// - Parameter types: the media types in lower case. The result is true if the array is empty.
    public func accepts(oneOf types: [String]) -> Bool {
        guard !types.isEmpty, let field = combined("Accept"), field != "*/*" else { return true }
        let ranges = field.split(separator: ",").map { MediaType($0) }
            .filter { $0.essence.split(separator: "/").count == 2 }
        guard !ranges.isEmpty else { return true }
        return types.contains { type in
            // The most specific range that matches the type decides.
            for name in [type, String(type.prefix { $0 != "/" }) + "/*", "*/*"] {
                let found = ranges.filter { $0.essence == name }
                if !found.isEmpty { return found.contains { !$0.isRefused } }
            }
            return false
        }
    }
}
