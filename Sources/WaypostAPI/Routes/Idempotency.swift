import Accounts
import HTTPCore
import JSON
import Sessions

extension Request {
    /// The request as one that may be sent again, if it has an `Idempotency-Key`.
    /// - Parameters:
    ///   - token: the bearer token, however its field was written; empty where there is none yet.
    ///   - response: the response to the first of them, as much of it as is to be kept.
    /// - Throws: `.invalidIdempotencyKey`.
    func attempt<Result>(
        token: String,
        _ response: @escaping @Sendable (Result, Attempt<Result>.Form) -> KeptResponse
    ) throws(Problem) -> Attempt<Result>? {
        let keys = headers.values("Idempotency-Key")
        guard let key = keys.first else { return nil }
        guard keys.count == 1, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw Problem(
                .invalidIdempotencyKey,
                "Idempotency-Key must come once, with 1 to 255 visible ASCII characters: a new UUID"
            )
        }
        var request = [method.name, target.path, headers.combined("If-Match") ?? ""]
            .joined(separator: "\n")
        if let preference = headers.combined("Prefer") { request += "\nPrefer: \(preference)" }
        return Attempt(
            key: key, token: token,
            request: request + "\n" + String(decoding: body, as: UTF8.self), requestSize: size,
            response: { response($0, $1).bytes })
    }

    /// Bytes of head and body, about.
    private var size: Int {
        headers.withRawFields { fields in
            fields.reduce(target.path.utf8.count + body.count) {
                $0 + $1.name.count + $1.value.count + 4
            }
        }
    }
}

/// A response as it is kept for its `Idempotency-Key`: a line of JSON with the status and the header
/// fields, then the body.
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
        guard case .bytes(let body) = response.body else { return json.bytes + [Self.lineFeed] }
        return json.bytes + [Self.lineFeed] + body
    }

    /// The response as it is sent again.
    /// - Parameter session: the session as it is now, in JSON, and its tag; called where it was not kept.
    func replayed(
        showing session: () async throws(Problem) -> (json: [UInt8], tag: EntityTag)
    ) async throws(Problem) -> Response {
        var replayed = response
        if lacksSession, case .bytes(let body) = response.body {
            let (json, tag) = try await session()
            let member = Array(#","session":"#.utf8) + json + [Self.closingBrace]
            let fields = response.headers.fields.filter { $0.name != "ETag" }
            replayed = Response(
                response.status, headers: HeaderFields(fields),
                body: .bytes(body.dropLast() + member))
            replayed.headers.append("ETag", tag.description)
        }
        replayed.headers.append("Idempotency-Replayed", "true")
        return replayed
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let closingBrace = UInt8(ascii: "}")
}

extension Response {
    /// The response to a request that may have come before, and that concerns no session.
    init<Result>(
        _ answered: Answered<Result>, _ respond: (Result) -> Response
    ) throws(Problem) {
        switch answered {
        case .now(let result): self = respond(result)
        case .before(let bytes):
            self = try KeptResponse.whole(bytes)
            headers.append("Idempotency-Replayed", "true")
        }
    }
}

extension KeptResponse {
    /// The response that was kept whole.
    /// - Throws: `.internalError` if it cannot be read.
    fileprivate static func whole(_ bytes: [UInt8]) throws(Problem) -> Response {
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
    fileprivate static let unreadableRecord = Problem(
        .internalError,
        "the request was carried out before, and its response cannot be read: read the session",
        cause: "an idempotency record cannot be read: another version may have written it")
}
