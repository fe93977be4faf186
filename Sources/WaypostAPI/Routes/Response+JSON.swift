import HTTPCore
import JSON

extension Response {
    /// A JSON answer.
    /// - Parameter cacheControl: a session's state is nobody's to keep.
    static func json(
        _ status: Status = .ok, cacheControl: String = "no-store",
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
