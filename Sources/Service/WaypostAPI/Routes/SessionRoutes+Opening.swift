import HTTPCore
import JSON
import NavigationRules
import Sessions
import WaypostCore

extension SessionRoutes {
    /// The route `POST /v1/sessions`, which opens a session or makes a copy of one.
    var openingRoute: Route { Route(.post, "/v1/sessions", task: { try await self.open($0) }) }

    /// - Parameter isAgain: whether the session of a stored response was found to be over, and was
    ///   removed with the response.
    private func open(
        _ context: Context, isAgain: Bool = false
    ) async throws -> Answer.DeferredResponse {
        let request = context.request
        let opening = try request.read { Opening(&$0) }
        // The origin of a fork is looked up first, so that a client without the origin's token
        // learns nothing else.
        let origin = try await origin(of: opening, request)
        let idempotency = try idempotency(context.idempotencyKey, of: opening, request)
        let result: IdempotentResult<SessionDirectory.Opened>
        do {
            if let origin {
                result = try await directory.fork(
                    origin.session, named: opening.name, with: origin.token,
                    at: opening.fork?.revision,
                    idempotency: idempotency
                ) { state throws(RateLimitExceeded) in
                    if let state {
                        try limits.admitCopy(of: state, request)
                    } else {
                        try limits.admitSession(request)
                    }
                }
            } else {
                result = try await directory.open(
                    credential: opening.credential, name: opening.name,
                    lifecycle: opening.lifecycle, isStrict: opening.isStrict, at: opening.link,
                    flags: opening.flags,
                    idempotency: idempotency
                ) { () throws(RateLimitExceeded) in try limits.admitSession(request) }
            }
        } catch {
            throw Opening.problem(error)
        }
        switch result {
        case .fresh(let opened): return { [self] () throws(Problem) in response(to: opened) }
        case .stored(let bytes):
            if let response = try await repeatedResponse(bytes) {
                return { () throws(Problem) in response }
            }
            if isAgain { throw SessionError.ended }
            return try await open(context, isAgain: true)
        }
    }

    /// Returns the data with which the service recognizes a repetition of a request that opens a
    /// session; nil if the request has no `Idempotency-Key`. The token of a fork, or the credential
    /// in the body, identifies the client.
    private func idempotency(
        _ key: String?, of opening: Opening, _ request: Request
    ) throws(Problem) -> IdempotentRequest<SessionDirectory.Opened>? {
        let secret =
            opening.fork == nil
            ? opening.credential.flatMap { Secret($0, for: .credential) }
            : request.bearer(.session)
        return try request.idempotency(
            key, token: secret?.text ?? "", minimumLength: secret == nil ? Self.minimumKeyLength : 1
        ) { [self] opened, _ in storedResponse(to: opened) }
    }

    /// Returns the response to store. If the session is large, its token alone is stored.
    private func storedResponse(to opened: SessionDirectory.Opened) -> StoredResponse {
        var response = response(to: opened)
        let isWhole = response.body.count <= Self.largestStoredSession
        if !isWhole {
            response.body = .bytes(
                JSONWriter.bytes { $0.object { $0.member("token", opened.token.text) } })
        }
        return StoredResponse(response, showing: opened.session, lacksSession: !isWhole)
    }

    /// The minimum length of the `Idempotency-Key` of a request without a token or credential: 128
    /// random bits in base64. The key alone gives access to the response, which holds a token.
    private static let minimumKeyLength = 22

    /// Returns the existing session that a request wants to copy (to fork), and the hash of the
    /// token in the request; nil if the request opens an ordinary new session.
    /// - Throws: `.unauthorized` or `.sessionNotFound` if the request lacks the token of the
    ///   existing session; `.unexpectedAuthorization` if it opens an ordinary session and has the
    ///   field `Authorization`.
    private func origin(
        of opening: Opening, _ request: Request
    ) async throws -> (session: Session, token: SecretHash)? {
        guard let fork = opening.fork else {
            guard request.headers["Authorization"] == nil else {
                throw Problem(
                    .unexpectedAuthorization,
                    "send the credential as the member credential of the body, and no "
                        + "Authorization: only a fork needs this field, with the token of its "
                        + "session")
            }
            return nil
        }
        guard let token = request.bearerHash(.session) else {
            throw Authorization.missing(.session)
        }
        let session = try await session(
            SessionCredentials(session: SessionID(fork.session), token: token))
        return (session, token)
    }

    /// Returns the response to a repeated request. The session that the first request opened must
    /// still be logged in as it was. If only its token was stored, the response shows its present
    /// state.
    /// - Returns: nil if the session is over. An expired one, which the purge has not removed yet, is
    ///   removed.
    /// - Throws: `.credentialRevoked` if the log-in has ended.
    private func repeatedResponse(_ bytes: [UInt8]) async throws -> Response? {
        let stored = try StoredResponse.read(bytes)
        guard let id = stored.response.headers["Location"]?.split(separator: "/").last,
            let id = SessionID(id)
        else { throw Problem.unreadableRecord }
        guard try await directory.isOpen(id), let session = try await directory.session(id)
        else { return nil }
        let present = try await withCompletion(session.read)
        try stored.checkLogIn(of: present)
        var response = stored.response
        if stored.lacksSession {
            guard case .bytes(let body) = response.body,
                case .object(let members)? = try? JSONValue(parsing: body, maximumDepth: 2),
                case .string(let token)? = members["token"],
                let token = Secret(token, for: .session)
            else { throw Problem.unreadableRecord }
            response = self.response(to: SessionDirectory.Opened(session: present, token: token))
        }
        response.headers.append("Idempotency-Replayed", "true")
        return response
    }

    private func response(to opened: SessionDirectory.Opened) -> Response {
        var response = Response.json(.created, tag: tags.tag(of: opened.session)) {
            $0.session(opened.session, in: app, token: opened.token.text)
        }
        response.headers.append("Location", "/v1/sessions/\(opened.session.id)")
        return response
    }
}

/// The body of a request that opens a session.
private struct Opening: Sendable {
    var credential: String?
    var name: String?
    /// The order of the lifecycle callbacks; nil for the storyboard's.
    var lifecycle: LifecycleOrder?
    /// Whether the session is strict; nil if the storyboard decides.
    var isStrict: Bool?
    /// The link that the new session opens at its start, a path or a URL; nil for none.
    var link: Link?
    /// The flags of the new session whose values differ from the storyboard's.
    var flags: [String: Bool] = [:]
    /// The id of the session to copy, and the revision to copy; a nil revision means the current
    /// one. The property is nil if the request does not ask for a copy (a fork).
    var fork: (session: String, revision: Int?)?

    init(_ body: inout BodyReader) {
        credential = body.optionalString("credential")
        name = body.has("name") ? body.name(orNull: true) : nil
        body.expect("name")
        lifecycle = body.choice("lifecycle")
        isStrict = body.optionalBoolean("strict")
        link = Link.read(&body, "open") { Link(reference: $0) }
        if body.has("flags") { flags = body.booleans("flags") }
        body.expect("flags")
        guard body.has("fork") else {
            body.expect("fork")
            return
        }
        // A fork takes the values of these members from the session that it starts from.
        for name in ["credential", "lifecycle", "strict", "open", "flags"] where body.has(name) {
            body.note("not allowed together with fork", member: name)
        }
        fork = ("", nil)
        body.nested("fork") { reader in
            fork = (reader.string("session"), reader.optionalInteger("revision", from: 1))
        }
    }

    /// Returns the problem for an error that occurs when a session is opened. If the app has no
    /// screen for the link in the body member `open`, the problem points to this member.
    static func problem(_ error: SessionError) -> Problem {
        let problem = Problem(error)
        guard case .navigation(let refusal) = error,
            [.linkNotFound, .foreignLink, .malformedLink].contains(refusal.code)
        else { return problem }
        return Problem(
            refusal.code.kind, "/open: \(problem.detail)",
            members: [.init(pointer: "/open", detail: problem.detail)])
    }
}
