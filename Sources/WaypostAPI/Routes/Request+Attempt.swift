import Accounts
import HTTPCore
import JSON
import Sessions

extension Request {
    /// The request as one that may be sent again, if it has an `Idempotency-Key`.
    /// - Parameter respond: the answer to the first of them.
    /// - Throws: `.invalidIdempotencyKey`.
    func attempt<Result>(
        _ respond: @escaping @Sendable (Result) -> Response
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
        let request = [method.name, target.path, headers.combined("If-Match") ?? ""]
            .joined(separator: "\n")
        return Attempt(
            key: key, token: headers["Authorization"] ?? "",
            request: request + "\n" + String(decoding: body, as: UTF8.self),
            answer: { ReplayedResponse.encode(respond($0)) })
    }
}

extension Response {
    /// The answer to a request that may have come before.
    init<Result>(
        _ answered: Answered<Result>, _ respond: (Result) -> Response
    ) {
        switch answered {
        case .now(let result): self = respond(result)
        case .before(let bytes): self = ReplayedResponse.decode(bytes)
        }
    }
}

/// An answer in bytes, so that it can be kept and sent again: a line of JSON with the status and the
/// header fields, then the body.
private enum ReplayedResponse {
    static func encode(_ response: Response) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("status", response.status.code)
            json.name("headers")
            json.array(response.headers.fields) { json, field in
                json.array([field.name, field.value]) { $0.string($1) }
            }
        }
        guard case .bytes(let body) = response.body else { return json.bytes + [lineFeed] }
        return json.bytes + [lineFeed] + body
    }

    static func decode(_ bytes: [UInt8]) -> Response {
        let head = Array(bytes.prefix { $0 != lineFeed })
        let body = Array(bytes.dropFirst(head.count + 1))
        guard case .object(let object)? = try? JSONValue(parsing: head, maximumDepth: 3),
            case .integer(let status)? = object["status"],
            case .array(let fields)? = object["headers"]
        else { preconditionFailure("a receipt is authenticated: it is as it was written") }
        var headers = HeaderFields()
        for case .array(let field) in fields {
            guard case .string(let name) = field[0], case .string(let value) = field[1] else {
                continue
            }
            headers.append(name, value)
        }
        headers.append("Idempotency-Replayed", "true")
        return Response(
            Status(status), headers: headers, body: body.isEmpty ? .empty : .bytes(body))
    }

    private static let lineFeed = UInt8(ascii: "\n")
}
