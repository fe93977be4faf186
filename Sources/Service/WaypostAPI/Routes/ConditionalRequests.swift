import HTTPCore
import NavigationRules
import Sessions
import WaypostCore

/// Makes the entity tags of sessions, such as `"5-9c1f03ab"`. A tag consists of the session's
/// revision and a digest of the session's name and expiry, the storyboard, its data and the version of
/// Waypost, because a response depends on all of these. After a restore or a new start with the same
/// seed, a revision has another expiry.
struct SessionTags: Sendable {
    private let digest: UInt64

    init(_ app: App, version: String) { digest = fnv1a(version.utf8, after: app.digest) }

    private func suffix(of session: SessionState) -> String {
        let named = session.name.map { fnv1a($0.utf8, after: digest) } ?? digest
        let expiry = UInt64(truncatingIfNeeded: session.expiresAt.milliseconds)
        // The upper half of the product depends on all bits of the digest.
        let upper = UInt32(((named ^ expiry) &* 0x9E37_79B9_7F4A_7C15) >> 32)
        return "-" + withUnsafeBytes(of: upper.bigEndian) { hexadecimal($0) }
    }

    /// Returns the number that identifies the history to which revision numbers belong (see
    /// `ChangeCursor.history`).
    /// - Parameter incarnation: a random number that identifies the content of the store; for a
    ///   store in memory, a random number that identifies the process.
    func history(of incarnation: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((digest ^ incarnation) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    func tag(of session: SessionState) -> EntityTag {
        EntityTag(session.window.revision, suffix(of: session))
    }

    /// Returns the entity tag of a response to `GET …/screen`, which contains one page of rows.
    /// - Parameters:
    ///   - firstRow: the index of the first row of the page.
    ///   - limit: the maximum number of rows in the page.
    func tag(ofScreenIn session: SessionState, firstRow: Int, limit: Int) -> EntityTag {
        EntityTag(session.window.revision, "\(suffix(of: session))-\(firstRow)-\(limit)")
    }

    /// Returns the entity tag of a page of the session's history.
    /// - Parameters:
    ///   - present: the session's present state.
    ///   - after: the revision of the last change before the page.
    ///   - limit: the maximum number of changes in the page.
    func tag(ofHistoryUpTo present: SessionState, after: Int, limit: Int) -> EntityTag {
        EntityTag(present.window.revision, "\(suffix(of: present))-h\(after)-\(limit)")
    }

    /// Returns a closure that checks the condition of the field `If-Match`: the field must list the
    /// session's present tag or be `*`.
    /// - Returns: nil if the field is absent.
    func precondition(of request: Request) -> Precondition? {
        guard let match = request.headers.combined("If-Match") else { return nil }
        return {
            let tag = tag(of: $0)
            return tag.isListed(in: match, weakly: false) ? nil : tag.description
        }
    }

    /// Returns the problem for an error of a session. If the condition of `If-Match` failed, the
    /// response includes the session's current entity tag.
    func problem(_ error: SessionError) -> Problem {
        guard case .revisionMismatch(let present, let tag) = error else { return Problem(error) }
        return Problem(
            .preconditionFailed,
            "If-Match does not match the session, which is at revision \(present): read the session "
                + "again, and send its new ETag if the change is still right",
            headers: ["ETag": tag])
    }
}

extension Request {
    /// Returns whether the client already has the content with this tag, because `If-None-Match`
    /// lists the tag or is `*`. False if the field is absent.
    func has(_ tag: EntityTag) -> Bool {
        headers.combined("If-None-Match").map { tag.isListed(in: $0, weakly: true) } ?? false
    }

    /// Checks the condition of `If-Match` for a change of something that has no entity tag.
    /// - Throws: `.preconditionFailed` if the field is present and not `*` (RFC 9110, section
    ///   13.1.1).
    func refuseEntityTags() throws(Problem) {
        guard let match = headers.combined("If-Match"), match != "*" else { return }
        throw Problem(
            .preconditionFailed,
            "If-Match cannot match: an account has no entity tag; send the request without the field"
        )
    }
}
