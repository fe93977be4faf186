import HTTPCore

/// The header fields of what only a new start of the service changes, written once.
struct StaticResponseHeaders: Sendable {
    let tag: EntityTag
    /// Of an answer with the content.
    let whole: HeaderFields
    /// Of an answer to a client that has the content already.
    let unchanged: HeaderFields

    init(_ tag: EntityTag, _ mediaType: String) {
        self.tag = tag
        unchanged = ["ETag": tag.description, "Cache-Control": CacheControl.data]
        var whole = unchanged
        whole.append("Content-Type", mediaType)
        self.whole = whole
    }
}
