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
    /// A JSON answer.
    static func json(
        _ status: Status = .ok, cacheControl: String = CacheControl.session,
        headers: HeaderFields = HeaderFields(), _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var json = JSONWriter()
        write(&json)
        var headers = headers
        headers.append("Content-Type", "application/json")
        headers.append("Cache-Control", cacheControl)
        return Response(status, headers: headers, body: .bytes(json.bytes))
    }
}
