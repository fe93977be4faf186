import HTTPCore
import Sessions

extension Request {
    /// Whether the client has this version already (`If-None-Match`).
    func has(_ tag: EntityTag) -> Bool {
        headers.combined("If-None-Match").map { tag.isListed(in: $0, weakly: true) } ?? false
    }
}

extension SessionRecord {
    /// Of its present state.
    var tag: EntityTag { EntityTag(window.revision) }
}
