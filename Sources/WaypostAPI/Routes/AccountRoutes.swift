import Accounts
import HTTPCore
import JSON
import Sessions

/// `/v1/account`: what a user does with their account. A credential is the bearer token.
struct AccountRoutes: Sendable {
    let accounts: AccountDirectory
    let limits: ClientLimits

    var routes: [Route] {
        [
            Route(.get, "/v1/account", handler: show),
            Route(.delete, "/v1/account", handler: remove),
            Route(.put, "/v1/account/password", handler: changePassword),
            Route(.get, "/v1/account/credentials", handler: credentials),
            Route(.delete, "/v1/account/credentials/{credential}", handler: revoke),
        ]
    }

    private func show(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        let account = try await holder(of: request).account
        _ = try Query(request)
        return .json { json in
            json.object { json in
                json.member("username", account.username.text)
                json.member("createdAt", account.createdAt)
            }
        }
    }

    private func changePassword(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        try await change(
            request, reading: passwords, holdsPassword: true, newPassword: "newPassword"
        ) { (holder, passwords, attempt) async throws(SessionError) in
            try await accounts.changePassword(
                of: holder, from: passwords.old, to: passwords.new,
                client: limits.client(of: request), attempt: attempt)
        }
    }

    private func remove(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        try await change(request, reading: password, holdsPassword: true) {
            (holder, password, attempt) async throws(SessionError) in
            try await accounts.remove(
                holder, password: password, client: limits.client(of: request), attempt: attempt)
        }
    }

    private func credentials(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        let holder = try await holder(of: request)
        let query = try Query(request, "limit", "cursor")
        let limit = try query.limit()
        let position = try query.credentialPosition("cursor")
        var page: [Credential]
        do {
            page = try await accounts.credentials(of: holder, after: position, limit: limit + 1)
        } catch {
            throw Problem(error)
        }
        let hasMore = page.count > limit
        if hasMore { page.removeLast() }
        let next = hasMore ? page.last?.position.cursor : nil
        return .json { json in
            json.object { json in
                json.name("credentials")
                json.array(page) { $0.credential($1, isCurrent: $1.hash == holder.credential.hash) }
                json.member("next", next)
            }
        }
    }

    private func revoke(
        _ request: Request, _ parameters: PathParameters
    ) async throws(Problem) -> Response {
        try await change(request, reading: nothing, holdsPassword: false) {
            (holder, _, attempt) async throws(SessionError) in
            guard let id = CredentialID(String(parameters[0])) else {
                throw .account(.credentialNotFound)
            }
            return try await accounts.revoke(id, of: holder, attempt: attempt)
        }
    }

    private func passwords(_ body: inout BodyReader) -> (old: String, new: String) {
        (body.string("oldPassword"), body.string("newPassword"))
    }

    private func password(_ body: inout BodyReader) -> String { body.string("password") }

    private func nothing(_ body: inout BodyReader) {}

    /// Reads the body and changes the holder's account; 204, or as the request was answered before.
    /// - Parameters:
    ///   - holdsPassword: whether the request can be a guess of the account's password.
    ///   - newPassword: the member of the body that holds a new password.
    private func change<Body>(
        _ request: Request, reading decode: (inout BodyReader) -> Body, holdsPassword: Bool,
        newPassword: String = "password",
        _ perform: (AccountDirectory.Holder, Body, Attempt<Void>?) async throws(SessionError) ->
            Answered<Void>
    ) async throws(Problem) -> Response {
        // Whoever has none at all learns nothing of the rest.
        let credential = try Self.credential(of: request)
        _ = try Query(request)
        let done = { @Sendable in
            Response(.noContent, headers: ["Cache-Control": CacheControl.none])
        }
        let attempt: Attempt<Void>? = try request.attempt(
            token: request.bearer(.credential)?.text ?? ""
        ) { _, _ in KeptResponse(done()) }
        // The credential of a repeated request may be gone: the response is all that there is.
        var before: [UInt8]?
        do {
            if let attempt, holdsPassword {
                before = try await accounts.answer(
                    to: attempt, withPasswordFor: credential, client: limits.client(of: request))
            } else if let attempt {
                before = try await accounts.answer(to: attempt)
            }
        } catch {
            throw Problem(error)
        }
        if let before { return try Response(Answered<Void>.before(before), done) }
        let holder = try await holder(of: request)
        let body = try request.read(decode)
        let answered: Answered<Void>
        do { answered = try await perform(holder, body, attempt) } catch {
            throw Problem(error, newPassword: newPassword)
        }
        return try Response(answered, done)
    }

    /// - Throws: `.unauthorized`, the same whatever is wrong with the credential.
    private func holder(of request: Request) async throws(Problem) -> AccountDirectory.Holder {
        let credential = try Self.credential(of: request)
        let holder: AccountDirectory.Holder?
        do {
            holder = try await accounts.holder(of: credential.text)
        } catch {
            throw Problem(error)
        }
        guard let holder else { throw Self.noCredential }
        return holder
    }

    static func credential(of request: Request) throws(Problem) -> Secret {
        guard let credential = request.bearer(.credential) else { throw noCredential }
        return credential
    }

    private static let noCredential = Problem.unauthorized(
        "send a credential that is good, as a log-in returns it: Authorization: Bearer wpc_…")
}

extension JSONWriter {
    fileprivate mutating func credential(_ credential: Credential, isCurrent: Bool) {
        object { json in
            json.member("id", credential.id.description)
            json.member("isCurrent", isCurrent)
            json.member("session", credential.session)
            json.member("createdAt", credential.createdAt)
            json.member("expiresAt", credential.expiresAt)
            json.member("lastUsedAt", credential.lastUsedAt?.description)
        }
    }
}

extension CredentialPosition {
    var cursor: String { "\(createdAt.milliseconds)-\(id)" }
}

extension Query {
    func credentialPosition(_ name: String) throws(Problem) -> CredentialPosition? {
        guard let cursor = text(name) else { return nil }
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int(parts[0]), time >= 0,
            let id = CredentialID(String(parts[1]))
        else {
            throw Problem(
                .invalidQuery, "invalid cursor; use `next` of the previous page")
        }
        return CredentialPosition(
            createdAt: Timestamp(milliseconds: time.clampedToInteroperable), id: id)
    }
}
