import HTTPCore
import JSON

/// A response as it is kept for its `Idempotency-Key`: a line of JSON with the status and the header
/// fields, then the body; all of it compressed.
struct KeptResponse {
    private(set) var response: Response
    /// Whether the body, an object, lacks its last member, the session.
    let lacksSession: Bool

    init(_ response: Response, lacksSession: Bool = false) {
        self.response = response
        self.lacksSession = lacksSession
    }

    /// - Returns: nil if this is not what `bytes` is made of: another version may have written it.
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
            json.name("headers")
            json.array(response.headers.fields) { json, field in
                json.array([field.name, field.value]) { $0.string($1) }
            }
            if lacksSession { json.member("lacksSession", true) }
        }
        var bytes = json.bytes + [Self.lineFeed]
        if case .bytes(let body) = response.body { bytes += body }
        return Self.packed(bytes)
    }

    /// The first byte of what is compressed; what is not begins with a brace. Other bytes are for later
    /// forms, and for dictionaries that fit later responses.
    private static let compressed: UInt8 = 1
    /// The largest response to a change, in bytes: a damaged size must not claim memory.
    private static let largest = 1 << 26

    /// - Returns: the form, four bytes with the size, the lowest first, and what is compressed.
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

    /// Returns a body, an object with members, with the session as one more, the last.
    static func body(_ body: [UInt8], showing session: [UInt8]) -> [UInt8] {
        body.dropLast() + Array(#","session":"#.utf8) + session + [closingBrace]
    }

    /// The response as it is sent again.
    /// - Parameter session: the session as it is now, in JSON, and its tag; called where it was not kept.
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
    /// The response that was kept whole.
    /// - Throws: `.internalError` if it cannot be read.
    static func whole(_ bytes: [UInt8]) throws(Problem) -> Response {
        let kept = try read(bytes)
        guard !kept.lacksSession else { throw .unreadableRecord }
        return kept.response
    }

    /// - Throws: `.internalError` if it cannot be read.
    static func read(_ bytes: [UInt8]) throws(Problem) -> KeptResponse {
        guard let kept = KeptResponse(bytes) else { throw .unreadableRecord }
        return kept
    }
}

extension Problem {
    /// The change was made, and what was to be sent again cannot be read.
    static let unreadableRecord = Problem(
        .internalError,
        "the request was carried out before, and its response cannot be read: read the session",
        cause: "an idempotency record cannot be read: another version may have written it")
}
