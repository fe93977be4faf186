/// The value of a `traceparent` field (W3C Trace Context, level 1, section 3.2): the id of the
/// trace to which a request belongs, and the id of the operation that sent the request.
public struct TraceParent: Sendable, Equatable {
    public static let field = "traceparent"

    /// The id of the trace: 32 lower-case hexadecimal digits.
    public let traceID: String
    /// The id of the operation that sent the request: 16 lower-case hexadecimal digits.
    public let parentID: String

    /// - Returns: nil if the value does not follow the standard exactly. Callers ignore such a
    ///   field.
    public init?(_ field: String) {
        let bytes = Array(field.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
        guard parts.count >= 4, parts[..<4].map(\.count) == [2, 32, 16, 2],
            parts[..<4].allSatisfy({ $0.allSatisfy { $0.isDigit || letters.contains($0) } }),
            // Versions after 00 may append parts; version 00 has exactly four.
            !parts[0].elementsEqual("ff".utf8),
            parts.count == 4 || !parts[0].elementsEqual("00".utf8),
            [parts[1], parts[2]].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } })
        else { return nil }
        traceID = String(decoding: parts[1], as: UTF8.self)
        parentID = String(decoding: parts[2], as: UTF8.self)
    }

    /// Parses the `traceparent` field of a message.
    /// - Returns: nil if the field is absent, occurs several times or is invalid.
    public init?(of headers: HeaderFields) {
        let fields = headers.values(Self.field)
        guard fields.count == 1 else { return nil }
        self.init(fields[0])
    }
}
