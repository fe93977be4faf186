import HTTPCore
import JSON

/// What clients and caches between may keep.
enum CacheControl {
    /// The catalog and its images change only with a new start of the service.
    static let data = "public, max-age=300"
    /// A session's state is nobody's to keep.
    static let session = "no-store"
}

extension Response {
    private static let jsonFields: HeaderFields = [
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

    /// What only a new start of the service changes; no more than its tag if the client has it.
    static func data(to request: Request, _ fields: DataFields, _ content: [UInt8]) -> Response {
        request.has(fields.tag)
            ? Response(.notModified, headers: fields.unchanged, body: .bytes(content))
            : Response(.ok, headers: fields.whole, body: .bytes(content))
    }
}
