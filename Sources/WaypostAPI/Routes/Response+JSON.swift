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
    /// A JSON answer that nobody may keep.
    static func json(
        _ status: Status = .ok, headers: consuming HeaderFields = HeaderFields(reserving: 4),
        _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var json = JSONWriter()
        write(&json)
        return .json(status, headers: headers, json.bytes)
    }

    /// The same, from JSON that is written already.
    static func json(
        _ status: Status = .ok, headers: consuming HeaderFields, _ body: [UInt8]
    ) -> Response {
        headers.append("Content-Type", "application/json")
        headers.append("Cache-Control", CacheControl.session)
        return Response(status, headers: headers, body: .bytes(body))
    }

    /// What only a new start of the service changes; no more than its tag if the client has it.
    static func data(
        to request: Request, _ tag: EntityTag, _ mediaType: String, _ content: () -> [UInt8]
    ) -> Response {
        var headers = HeaderFields(reserving: 5)
        headers.append("ETag", tag.description)
        headers.append("Cache-Control", CacheControl.data)
        if request.has(tag) { return Response(.notModified, headers: headers) }
        headers.append("Content-Type", mediaType)
        return Response(.ok, headers: headers, body: .bytes(content()))
    }
}
