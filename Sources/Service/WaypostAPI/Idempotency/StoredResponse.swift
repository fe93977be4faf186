import HTTPCore
import JSON
import Sessions
import WaypostCore

/// A stored response, which the service sends again if a client repeats a request with the same
/// `Idempotency-Key`. The stored form is a line of JSON with the status and the header fields,
/// followed by the body. `"isJSON": true` stands for the fields that begin every JSON response.
struct StoredResponse {
    private(set) var response: Response
    /// Whether the body is stored without the session's state: without its last member, `session`;
    /// empty, because the session was all of it; or, for an opened session, with the token alone.
    /// The session's current state is added when the response is sent again.
    let lacksSession: Bool
    /// Identifies the log-in that the session had after the first request: the first digits of the
    /// hash of its credential. Nil if nobody was logged in, or if the response neither shows the
    /// session nor has a token for it.
    private let logIn: String?

    /// - Parameter session: the session that the response shows or has a token for, as it was after
    ///   the first request; nil if there is none.
    init(_ response: Response, showing session: SessionState? = nil, lacksSession: Bool = false) {
        self.response = response
        self.lacksSession = lacksSession
        logIn = session.flatMap(Self.logIn)
    }

    /// Decodes a stored response.
    /// - Returns: nil if `bytes` have another format, for example because another version of the
    ///   service wrote them.
    init?(_ bytes: [UInt8]) {
        guard let bytes = Self.decompressed(bytes) else { return nil }
        let head = Array(bytes.prefix { $0 != Self.lineFeed })
        let body = Array(bytes.dropFirst(head.count + 1))
        guard case .object(let object)? = try? JSONValue(parsing: head, maximumDepth: 3),
            case .integer(let status)? = object["status"], (100...599).contains(status),
            case .array(let fields)? = object["headers"]
        else { return nil }
        var headers = object["isJSON"] == .boolean(true) ? Response.jsonFields : HeaderFields()
        for case .array(let field) in fields {
            guard field.count == 2, case .string(let name) = field[0],
                case .string(let value) = field[1]
            else { return nil }
            headers.append(name, value)
        }
        response = Response(
            Status(status), headers: headers, body: body.isEmpty ? .empty : .bytes(body))
        logIn = if case .string(let digits)? = object["logIn"] { digits } else { nil }
        lacksSession = object["lacksSession"] == .boolean(true)
        guard !lacksSession || body.isEmpty || body.last == Self.closingBrace else { return nil }
    }

    var bytes: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("status", response.status.code)
            let (fields, common) = (response.headers.fields, Response.jsonFields.fields)
            let isJSON = fields.starts(with: common) { $0 == $1 }
            if isJSON { json.member("isJSON", true) }
            json.array("headers", fields.dropFirst(isJSON ? common.count : 0)) { json, field in
                json.array([field.name, field.value]) { $0.string($1) }
            }
            if let logIn { json.member("logIn", logIn) }
            if lacksSession { json.member("lacksSession", true) }
        }
        var bytes = json.bytes + [Self.lineFeed]
        if case .bytes(let body) = response.body { bytes += body }
        return bytes
    }

    /// The maximum size of a decompressed response, in bytes. The limit prevents a corrupt stored
    /// response from causing an allocation of too much memory.
    private static let largest = 1 << 26

    /// Decompresses a stored response of an earlier version: the byte 1, the size of the response in four
    /// bytes (little endian), and the compressed response. A response that is not compressed begins
    /// with `{`.
    private static func decompressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.first == 1 else { return bytes }
        let size = bytes.dropFirst().prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count > 5, size <= largest else { return nil }
        return LZ4.decompress(bytes.dropFirst(5), size: size, dictionary: responseDictionary)
    }

    /// Returns a response body with a session appended as the last member.
    /// - Parameters:
    ///   - body: a JSON object with at least one member.
    ///   - session: the session as JSON.
    static func body(_ body: [UInt8], showing session: [UInt8]) -> [UInt8] {
        body.dropLast() + Array(#","session":"#.utf8) + session + [closingBrace]
    }

    private static func logIn(of session: SessionState) -> String? {
        // Eight digits are enough to tell the few log-ins of one session apart.
        session.credential.map { hexadecimal($0.bytes.prefix(4)) }
    }

    /// Checks that the log-in to which the response belongs has not ended. A session gets another
    /// credential, or none, only after its credential has become invalid. The history then withholds
    /// the screens of the log-in, and so must a repeated response.
    /// - Parameter present: the session as it is now.
    /// - Throws: `.credentialRevoked` if the log-in has ended.
    func checkLogIn(of present: SessionState) throws(Problem) {
        guard let logIn, logIn != Self.logIn(of: present) else { return }
        throw Problem(
            .credentialRevoked,
            "the request was carried out before, and its response is not shown again: the log-in "
                + "that it belongs to has ended")
    }

    /// Returns the response to a repeated request, with the field `Idempotency-Replayed`.
    /// - Parameter session: returns the current session as JSON, with its entity tag. The closure
    ///   is called only if the stored body lacks the session.
    func repeated(showing session: () -> (json: [UInt8], tag: EntityTag)) -> Response {
        var repeated = response
        if lacksSession {
            let (json, tag) = session()
            let fields = response.headers.fields.filter { $0.name != "ETag" }
            let body: [UInt8] =
                if case .bytes(let body) = response.body, !body.isEmpty {
                    Self.body(body, showing: json)
                } else {
                    json
                }
            repeated = Response(
                response.status, headers: HeaderFields(fields), body: .bytes(body))
            repeated.headers.append("ETag", tag.description)
        }
        repeated.headers.append("Idempotency-Replayed", "true")
        return repeated
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let closingBrace = UInt8(ascii: "}")
}

extension StoredResponse {
    /// Decodes a stored response. If its body was stored without the member `session`,
    /// `lacksSession` is true, and `repeated` adds the member.
    /// - Throws: `.internalError` if `bytes` cannot be decoded.
    static func read(_ bytes: [UInt8]) throws(Problem) -> StoredResponse {
        guard let stored = StoredResponse(bytes) else { throw .unreadableRecord }
        return stored
    }
}

extension Problem {
    /// The problem for a repeated request whose stored response cannot be decoded or is incomplete.
    /// The service does not make the change again, because the first request has already made it.
    static let unreadableRecord = Problem(
        .internalError,
        "the request was carried out before, and its response cannot be read: read the session",
        cause: "an idempotency record cannot be read: another version may have written it")
}
