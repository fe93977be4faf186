import HTTPCore
import JSON

/// The values of `Cache-Control`.
enum CacheControl {
    /// The catalog and its images change only with a new start of the service.
    static let data = "public, max-age=300"
    /// A session's state: the client may keep it, and asks each time whether it still is so.
    static let session = "private, no-cache"
    /// Secrets, accounts and changes are nobody's to keep.
    static let none = "no-store"
}

extension Response {
    private static let jsonFields: HeaderFields = [
        "Content-Type": "application/json", "Cache-Control": CacheControl.none,
    ]

    private static let sessionFields: HeaderFields = [
        "Content-Type": "application/json", "Cache-Control": CacheControl.session,
    ]

    /// A JSON answer that nobody may keep.
    static func json(
        _ status: Status = .ok, tag: EntityTag? = nil, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var json = JSONWriter()
        write(&json)
        return .json(status, tag: tag, json.bytes)
    }

    /// The same, from JSON that is written already.
    static func json(_ status: Status = .ok, tag: EntityTag?, _ body: [UInt8]) -> Response {
        var headers = jsonFields
        if let tag { headers.append("ETag", tag.description) }
        return Response(status, headers: headers, body: .bytes(body))
    }

    /// A session's state, or no more than its tag if the client has it.
    static func session(to request: Request, _ tag: EntityTag, _ content: [UInt8]) -> Response {
        guard !request.has(tag) else {
            return Response(
                .notModified,
                headers: ["ETag": tag.description, "Cache-Control": CacheControl.session],
                body: .bytes(content))
        }
        var headers = sessionFields
        headers.append("ETag", tag.description)
        return Response(.ok, headers: headers, body: .bytes(content))
    }

    /// A response that only a restart of the service changes; a 304 if the client has it already.
    static func data(to request: Request, _ fields: StaticResponseHeaders, _ content: [UInt8])
        -> Response
    {
        request.has(fields.tag)
            ? Response(.notModified, headers: fields.unchanged, body: .bytes(content))
            : Response(.ok, headers: fields.whole, body: .bytes(content))
    }
}

/// The header fields of what only a new start of the service changes, written once.
struct StaticResponseHeaders: Sendable {
    let tag: EntityTag
    /// The fields of a response with the content.
    let whole: HeaderFields
    /// The fields of a response to a client that has the content already.
    let unchanged: HeaderFields

    init(_ tag: EntityTag, _ mediaType: String) {
        self.tag = tag
        unchanged = ["ETag": tag.description, "Cache-Control": CacheControl.data]
        var whole = unchanged
        whole.append("Content-Type", mediaType)
        self.whole = whole
    }
}
