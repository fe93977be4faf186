import HTTPCore
import JSON

/// The values of the `Cache-Control` field.
enum CacheControl {
    /// The value for content that changes only when the service restarts or reloads the storyboard
    /// and its data. An example is the catalog.
    static let data = "public, max-age=300"
    /// The value for a session's state, which a client may cache but must revalidate for each use.
    static let session = "private, no-cache"
    /// The value for secrets, accounts and changes, which must not be cached.
    static let none = "no-store"
}

extension Response {
    static let jsonFields: HeaderFields = [
        "Content-Type": "application/json", "Cache-Control": CacheControl.none,
    ]

    /// The response to a change that has nothing to show.
    static let empty = Response(.noContent, headers: ["Cache-Control": CacheControl.none])

    /// Whether shared caches may store the response (`CacheControl.data`).
    var isPublic: Bool { headers.has("Cache-Control", "public, max-age=300") }

    private static let sessionFields: HeaderFields = [
        "Content-Type": "application/json", "Cache-Control": CacheControl.session,
    ]

    /// Creates a JSON response that clients must not cache. `write` writes the body.
    /// - Parameter tag: the session's entity tag, which a client can send in `If-Match` with a
    ///   later request; nil omits the field `ETag`.
    static func json(
        _ status: Status = .ok, tag: EntityTag? = nil, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        var json = JSONWriter()
        write(&json)
        return .json(status, tag: tag, json.bytes)
    }

    /// Creates a response with a JSON object that clients must not cache. `write` writes its members.
    static func object(
        _ status: Status = .ok, _ write: (inout JSONWriter) -> Void
    ) -> Response {
        .json(status) { $0.object(write) }
    }

    /// Creates a response that clients must not cache.
    /// - Parameters:
    ///   - tag: the session's entity tag, which a client can send in `If-Match` with a later
    ///     request; nil omits the field `ETag`.
    ///   - body: the body, already encoded as JSON.
    static func json(_ status: Status = .ok, tag: EntityTag?, _ body: [UInt8]) -> Response {
        var headers = jsonFields
        if let tag { headers.append("ETag", tag.description) }
        return Response(status, headers: headers, body: .bytes(body))
    }

    /// Creates the response with a session's state and its entity tag. The status is 304 if the
    /// client already has the content with this tag.
    /// - Parameter content: the state as JSON.
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

    /// Creates a response whose content changes only when the service restarts or reloads the
    /// storyboard and its data. The status is 304 if the client already has the content.
    /// - Parameters:
    ///   - fields: the header fields, which include the entity tag of the content.
    ///   - content: the encoded body.
    static func data(to request: Request, _ fields: StaticResponseHeaders, _ content: [UInt8])
        -> Response
    {
        request.has(fields.tag)
            ? Response(.notModified, headers: fields.unchanged, body: .bytes(content))
            : Response(.ok, headers: fields.whole, body: .bytes(content))
    }
}

/// The header fields for content that changes only when the service restarts or reloads the
/// storyboard and its data. All responses with the content share them.
struct StaticResponseHeaders: Sendable {
    let tag: EntityTag
    /// The fields of a 200 response.
    let whole: HeaderFields
    /// The fields of a 304 response.
    let unchanged: HeaderFields

    init(_ tag: EntityTag, _ mediaType: String) {
        self.tag = tag
        unchanged = ["ETag": tag.description, "Cache-Control": CacheControl.data]
        var whole = unchanged
        whole.append("Content-Type", mediaType)
        self.whole = whole
    }
}
