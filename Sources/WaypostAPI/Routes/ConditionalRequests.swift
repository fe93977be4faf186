import HTTPCore
import Navigation
import Sessions

/// The entity tags of sessions: `"5-9c1f03ab"`, the revision and a digest of what else a response
/// depends on: the storyboard, its data, and the program's version.
struct SessionTags: Sendable {
    private let suffix: String

    init(_ app: App, version: String) {
        let digest = version.utf8.reduce(app.digest) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        // The upper half of the product depends on all bits of the digest.
        let digits = String((digest &* 0x9E37_79B9_7F4A_7C15) >> 32, radix: 16)
        suffix = "-" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    func tag(of session: SessionSnapshot) -> EntityTag { tag(session.window.revision) }

    /// The tag of the part of a session's screen that a query asks for.
    func tag(ofScreenIn session: SessionSnapshot, offset: Int, limit: Int) -> EntityTag {
        EntityTag(session.window.revision, "\(suffix)-\(offset)-\(limit)")
    }

    private func tag(_ revision: Int) -> EntityTag { EntityTag(revision, suffix) }

    /// Whether a change may be made: `If-Match` lists the session's tag, or is absent.
    func precondition(of request: Request) -> Precondition? {
        guard let match = request.headers.combined("If-Match") else { return nil }
        return { tag($0).isListed(in: match, weakly: false) }
    }

    /// The problem that a session's error is to the client.
    func problem(_ error: SessionError) -> Problem {
        guard case .revisionMismatch(let present) = error else { return Problem(error) }
        return Problem(
            .preconditionFailed,
            "the session is at revision \(present): read it again, and decide anew",
            headers: ["ETag": tag(present).description])
    }
}

extension Request {
    /// Whether the client has this version already (`If-None-Match`).
    func has(_ tag: EntityTag) -> Bool {
        headers.combined("If-None-Match").map { tag.isListed(in: $0, weakly: true) } ?? false
    }
}

extension Router.Match {
    /// Returns the match, or one that refuses the request if `If-Match` or `If-None-Match` is no list
    /// of entity tags.
    ///
    /// The route refuses a request without the token that it needs before that.
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
