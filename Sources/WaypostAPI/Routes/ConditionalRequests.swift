import HTTPCore
import Navigation
import Sessions

/// The entity tags of sessions, such as `"5-9c1f03ab"`: the revision, and a digest of the storyboard,
/// its data and the program's version. A response depends on all of these.
struct SessionTags: Sendable {
    private let suffix: String
    private let digest: UInt64

    init(_ app: App, version: String) {
        digest = version.utf8.reduce(app.digest) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        // The upper half of the product depends on all bits of the digest.
        let digits = String((digest &* 0x9E37_79B9_7F4A_7C15) >> 32, radix: 16)
        suffix = "-" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// Returns the number for `ChangeCursor.history`.
    /// - Parameter incarnation: the random number of the store's content; a random number of the
    ///   process if the store does not outlive it.
    func history(of incarnation: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((digest ^ incarnation) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    func tag(of session: SessionSnapshot) -> EntityTag { tag(session.window.revision) }

    /// Returns the tag of a page of the session's screen or layers.
    func tag(ofScreenIn session: SessionSnapshot, offset: Int, limit: Int) -> EntityTag {
        EntityTag(session.window.revision, "\(suffix)-\(offset)-\(limit)")
    }

    /// Returns the tag of a page of the session's history.
    func tag(of page: HistoryPage, after: Int, limit: Int) -> EntityTag {
        EntityTag(page.last, "\(suffix)-h\(after)-\(limit)")
    }

    private func tag(_ revision: Int) -> EntityTag { EntityTag(revision, suffix) }

    /// Returns the check that `If-Match` requires: whether the field lists the session's tag. Returns
    /// nil if the field is absent.
    func precondition(of request: Request) -> Precondition? {
        guard let match = request.headers.combined("If-Match") else { return nil }
        return { tag($0).isListed(in: match, weakly: false) }
    }

    /// Returns the problem for a session's error. The problem of a failed precondition includes the
    /// current tag.
    func problem(_ error: SessionError) -> Problem {
        guard case .revisionMismatch(let present) = error else { return Problem(error) }
        return Problem(
            .preconditionFailed,
            "the session is at revision \(present): read it again, and decide anew",
            headers: ["ETag": tag(present).description])
    }
}

extension Request {
    /// Returns whether the client already has this version (`If-None-Match`).
    func has(_ tag: EntityTag) -> Bool {
        headers.combined("If-None-Match").map { tag.isListed(in: $0, weakly: true) } ?? false
    }
}

extension Router.Match {
    /// Returns the match, or one with a problem if `If-Match` or `If-None-Match` is not a list of
    /// entity tags.
    ///
    /// A request without its required token keeps its match, so that the route responds with 401.
    func checkingEntityTags(of request: Request) -> Router.Match {
        guard let problem = request.entityTagProblem, case .success(let route?) = route else {
            return self
        }
        if route.path.hasPrefix("/v1/sessions/{session}"), request.bearerHash(.session) == nil {
            return self
        }
        if route.path.hasPrefix("/v1/account"), request.bearerHash(.credential) == nil {
            return self
        }
        return refusing(problem)
    }
}

extension Request {
    fileprivate var entityTagProblem: Problem? {
        for name in ["If-Match", "If-None-Match"] {
            guard let field = headers.combined(name), !EntityTag.isList(field) else { continue }
            return Problem(
                .invalidEntityTag,
                "\(name): expected entity tags in quotes, as in \(name): \"3-9c1f03ab\", or *; "
                    + "send the ETag of a response as it is")
        }
        return nil
    }
}
