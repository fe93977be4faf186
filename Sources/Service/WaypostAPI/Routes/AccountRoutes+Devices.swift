import HTTPCore
import JSON
import Sessions
import WaypostCore

extension AccountRoutes {
    /// The routes that let several devices use one session.
    var deviceRoutes: [Route] {
        [
            Route(
                .get, "/v1/account/sessions", query: PageRequest.parameters, task: sessions),
            Route(.get, "/v1/account/sessions/{session}", task: show),
            Route(.delete, "/v1/account/sessions/{session}", produces: [], task: end),
            Route(
                .get, "/v1/account/sessions/{session}/tokens", query: PageRequest.parameters,
                task: tokens),
            Route(.post, "/v1/account/sessions/{session}/tokens", task: makeToken),
            Route(
                .delete, "/v1/account/sessions/{session}/tokens/{token}", produces: [],
                task: revokeToken),
        ]
    }

    // MARK: The sessions of an account

    private func sessions(_ context: Context) async throws -> Answer.DeferredResponse {
        let request = context.request
        let holder = try await authenticate(request)
        let asked = try Query(request).page()
        let position = try asked.timePosition { SessionID($0) }
        let found = try await directory.sessions(
            of: holder, after: position, limit: asked.readLimit)
        return { .json { $0.sessions(found, limit: asked.limit) } }
    }

    private func show(_ context: Context) async throws -> Answer.DeferredResponse {
        let holder = try await authenticate(context.request)
        let id = try session(context.parameters)
        let session = try await directory.accountSession(id, of: holder)
        return { .json { $0.listed(session) } }
    }

    private func end(_ context: Context) async throws -> Answer.DeferredResponse {
        try await change(context, reading: nothing, holdsPassword: false) {
            (holder, _, idempotency: IdempotentRequest<ChangeResult>?) async throws(SessionError) in
            guard let id = SessionID(context.parameters[0]) else { throw .ended }
            return try await directory.end(id, of: holder, idempotency: idempotency)
        }
    }

    // MARK: Further tokens

    private func tokens(_ context: Context) async throws -> Answer.DeferredResponse {
        let request = context.request
        let holder = try await authenticate(request)
        let asked = try Query(request).page()
        let position = try asked.timePosition { CredentialID($0) }
        let id = try session(context.parameters)
        let found = try await directory.tokens(
            for: id, of: holder, after: position, limit: asked.readLimit)
        return {
            .json { json in
                json.page(found, limit: asked.limit, at: \.position.text) { json, token in
                    json.object { $0.members(of: token) }
                }
            }
        }
    }

    private func makeToken(_ context: Context) async throws -> Answer.DeferredResponse {
        let request = context.request
        let credential = try Self.credential(of: request)
        // The stored response has a token, so a repetition needs a valid credential and a session of
        // the account, too.
        let holder = try await authenticate(request)
        let name = try request.read { $0.name(orNull: false) } ?? ""
        try request.refuseEntityTags()
        let present = try await directory.session(try session(context.parameters), of: holder)
        let idempotency: IdempotentRequest<SessionDirectory.NewToken>? = try request.idempotency(
            context.idempotencyKey, token: credential.text
        ) { made, _ in StoredResponse(Self.response(to: made), showing: present) }
        let result = try await directory.makeToken(
            named: name, for: present, of: holder, idempotency: idempotency)
        return { () throws(Problem) in
            try Response(result, of: present, Self.response(to:))
        }
    }

    private static func response(to made: SessionDirectory.NewToken) -> Response {
        .object(.created) { json in
            json.members(of: made.record)
            json.member("token", made.token.text)
        }
    }

    private func revokeToken(_ context: Context) async throws -> Answer.DeferredResponse {
        try await change(context, reading: nothing, holdsPassword: false) {
            (holder, _, idempotency) async throws(SessionError) in
            guard let id = SessionID(context.parameters[0]) else { throw .ended }
            guard let token = CredentialID(String(context.parameters[1])) else {
                throw .tokenNotFound
            }
            return try await directory.revokeToken(
                token, for: id, of: holder, idempotency: idempotency)
        }
    }

    private func session(_ parameters: PathParameters) throws(Problem) -> SessionID {
        guard let id = SessionID(parameters[0]) else { throw .sessionNotFound }
        return id
    }
}

extension BodyReader {
    /// The maximum length of the name of a session or a device, in Unicode scalars.
    private static let maximumNameLength = 100

    /// Reads the name of a session or a device from the required member `name`.
    /// - Parameter orNull: whether the member may be null.
    /// - Returns: nil if the member is null, missing or not a string.
    mutating func name(orNull: Bool) -> String? {
        let read = orNull ? nullableString("name") : optionalString("name").map { .some($0) }
        if !has("name") {
            note("missing; expected a string\(orNull ? " or null" : "")", member: "name")
        }
        guard let name = read.flatMap(\.self) else { return nil }
        if let defect = Self.defect(ofName: name) { note(defect, member: "name") }
        return name
    }

    /// Returns the rule that the name of a session or a device breaks; nil if it breaks none.
    package static func defect(ofName name: String) -> String? {
        let scalars = name.unicodeScalars
        if !(1...maximumNameLength).contains(scalars.count) {
            return "expected 1 to \(maximumNameLength) characters, found \(scalars.count)"
        }
        if scalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "expected no control characters"
        }
        return nil
    }
}

extension JSONWriter {
    /// Writes a page of the list of an account's sessions.
    /// - Parameters:
    ///   - found: the sessions; more than `limit` if another page follows.
    mutating func sessions(_ found: [AccountSession], limit: Int) {
        page(found, limit: limit, at: \.listed.position.text) { $0.listed($1) }
    }

    fileprivate mutating func listed(_ session: AccountSession) {
        let listed = session.listed
        object { json in
            json.member("id", listed.id.description)
            json.member("name", listed.name)
            json.member("scene", session.topViewController.scene.name)
            json.member("title", session.topViewController.effectiveTitle)
            json.member("revision", listed.revision)
            json.member("createdAt", listed.createdAt)
            json.member("expiresAt", listed.expiresAt)
        }
    }

    mutating func members(of token: SessionToken) {
        member("id", token.id.description)
        member("name", token.name)
        member("createdAt", token.createdAt)
    }
}
