import HTTPCore
import JSON

/// The response in an idempotency record. The stored form is a line of JSON with the status and the
/// header fields, followed by the body. It is compressed if that makes it smaller.
struct KeptResponse {
    private(set) var response: Response
    /// Whether the JSON object in the body lacks its last member, `session`.
    let lacksSession: Bool

    init(_ response: Response, lacksSession: Bool = false) {
        self.response = response
        self.lacksSession = lacksSession
    }

    /// Decodes a stored response.
    /// - Returns: nil if `bytes` have another format, for example because another version of the
    ///   service wrote them.
    init?(_ bytes: [UInt8]) {
        guard let bytes = Self.unpacked(bytes) else { return nil }
        let head = Array(bytes.prefix { $0 != Self.lineFeed })
        let body = Array(bytes.dropFirst(head.count + 1))
        guard case .object(let object)? = try? JSONValue(parsing: head, maximumDepth: 3),
            case .integer(let status)? = object["status"], (100...599).contains(status),
            case .array(let fields)? = object["headers"]
        else { return nil }
        var headers = HeaderFields()
        for case .array(let field) in fields {
            guard field.count == 2, case .string(let name) = field[0],
                case .string(let value) = field[1]
            else { return nil }
            headers.append(name, value)
        }
        response = Response(
            Status(status), headers: headers, body: body.isEmpty ? .empty : .bytes(body))
        lacksSession = object["lacksSession"] == .boolean(true)
        guard !lacksSession || body.last == Self.closingBrace else { return nil }
    }

    var bytes: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("status", response.status.code)
            json.array("headers", response.headers.fields) { json, field in
                json.array([field.name, field.value]) { $0.string($1) }
            }
            if lacksSession { json.member("lacksSession", true) }
        }
        var bytes = json.bytes + [Self.lineFeed]
        if case .bytes(let body) = response.body { bytes += body }
        return Self.packed(bytes)
    }

    /// The first byte of compressed records; an uncompressed record begins with a brace. Other
    /// values are reserved for later formats and dictionaries.
    private static let compressed: UInt8 = 1
    /// The largest size of a decompressed response, in bytes. The bound keeps a corrupt size from
    /// allocating too much memory.
    private static let largest = 1 << 26

    /// Compresses a record.
    /// - Returns: the byte `compressed`, the original size in four bytes (little endian), and the
    ///   compressed bytes; `bytes` unchanged if compression does not make them smaller.
    private static func packed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count <= largest,
            let compressed = LZ4.compress(bytes, dictionary: responseDictionary)
        else { return bytes }
        let size = withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { Array($0) }
        return [Self.compressed] + size + compressed
    }

    private static func unpacked(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.first == compressed else { return bytes }
        let size = bytes.dropFirst().prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count > 5, size <= largest else { return nil }
        return LZ4.decompress(bytes.dropFirst(5), size: size, dictionary: responseDictionary)
    }

    /// Returns a body with the session appended as the last member. The body must be an object with
    /// at least one member.
    static func body(_ body: [UInt8], showing session: [UInt8]) -> [UInt8] {
        body.dropLast() + Array(#","session":"#.utf8) + session + [closingBrace]
    }

    /// Returns the response to a repeated request.
    /// - Parameter session: returns the current session as JSON, with its tag; called only if the
    ///   record lacks the session.
    func replayed(
        showing session: () throws(Problem) -> (json: [UInt8], tag: EntityTag)
    ) throws(Problem) -> Response {
        var replayed = response
        if lacksSession, case .bytes(let body) = response.body {
            let (json, tag) = try session()
            let fields = response.headers.fields.filter { $0.name != "ETag" }
            replayed = Response(
                response.status, headers: HeaderFields(fields),
                body: .bytes(Self.body(body, showing: json)))
            replayed.headers.append("ETag", tag.description)
        }
        replayed.headers.append("Idempotency-Replayed", "true")
        return replayed
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let closingBrace = UInt8(ascii: "}")
}

extension KeptResponse {
    /// Decodes a response that was stored with its whole body.
    /// - Throws: `.internalError` if the record cannot be decoded.
    static func whole(_ bytes: [UInt8]) throws(Problem) -> Response {
        let kept = try read(bytes)
        guard !kept.lacksSession else { throw .unreadableRecord }
        return kept.response
    }

    /// Decodes a stored response.
    /// - Throws: `.internalError` if the record cannot be decoded.
    static func read(_ bytes: [UInt8]) throws(Problem) -> KeptResponse {
        guard let kept = KeptResponse(bytes) else { throw .unreadableRecord }
        return kept
    }
}

extension Problem {
    /// The problem of a repeated request whose stored response cannot be decoded. The first request
    /// has made its change.
    static let unreadableRecord = Problem(
        .internalError,
        "the request was carried out before, and its response cannot be read: read the session",
        cause: "an idempotency record cannot be read: another version may have written it")
}
