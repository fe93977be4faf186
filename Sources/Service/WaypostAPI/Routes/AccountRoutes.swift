import HTTPCore
import JSON
import Sessions
import WaypostCore

/// The routes under `/v1/account`, with which users manage their accounts. The bearer token of a
/// request is a credential, which a user receives at a log-in.
struct AccountRoutes: Sendable {
    let accounts: AccountDirectory
    let directory: SessionDirectory
    let limits: RateLimits

    var routes: [Route] {
        [
            Route(.get, "/v1/account", task: show),
            // The request has a password, and a DELETE has no body (RFC 9110, section 9.3.5).
            Route(.post, "/v1/account/delete", produces: [], task: remove),
            Route(.put, "/v1/account/password", produces: [], task: changePassword),
            Route(
                .get, "/v1/account/credentials", query: PageRequest.parameters,
                task: credentials),
            Route(
                .delete, "/v1/account/credentials", query: ["except"], produces: [],
                task: revokeAll),
            Route(.delete, "/v1/account/credentials/{credential}", produces: [], task: revoke),
        ]
    }

    private func show(_ context: Context) async throws -> Answer.DeferredResponse {
        let account = try await authenticate(context.request).account
        return {
            .object { json in
                json.member("username", account.username.text)
                json.member("createdAt", account.createdAt)
            }
        }
    }

    private func changePassword(_ context: Context) async throws -> Answer.DeferredResponse {
        try await change(
            context, reading: passwords, holdsPassword: true, newPassword: "newPassword"
        ) { (account, passwords, idempotency) async throws(SessionError) in
            try await accounts.changePassword(
                of: account, from: passwords.old, to: passwords.new,
                client: limits.client(of: context.request), idempotency: idempotency)
        }
    }

    private func remove(_ context: Context) async throws -> Answer.DeferredResponse {
        try await change(context, reading: password, holdsPassword: true) {
            (account, password, idempotency) async throws(SessionError) in
            try await accounts.remove(
                account, password: password, client: limits.client(of: context.request),
                idempotency: idempotency)
        }
    }

    private func credentials(_ context: Context) async throws -> Answer.DeferredResponse {
        let request = context.request
        let account = try await authenticate(request)
        let asked = try Query(request).page()
        let position = try asked.timePosition { CredentialID($0) }
        let found = try await accounts.credentials(
            of: account, after: position, limit: asked.readLimit)
        return {
            .json { json in
                json.page(found, limit: asked.limit, at: \.position.text) {
                    $0.credential($1, isCurrent: $1.hash == account.credential.hash)
                }
            }
        }
    }

    private func revoke(_ context: Context) async throws -> Answer.DeferredResponse {
        try await change(context, reading: nothing, holdsPassword: false) {
            (account, _, idempotency) async throws(SessionError) in
            guard let id = CredentialID(String(context.parameters[0])) else {
                throw .credentialNotFound
            }
            return try await accounts.revoke(id, of: account, idempotency: idempotency)
        }
    }

    private func revokeAll(_ context: Context) async throws -> Answer.DeferredResponse {
        let exception = Query(context.request).text("except")
        guard exception == nil || exception == "current" else {
            throw Problem(
                .invalidQuery,
                "the query parameter except must be current; without it, all credentials are "
                    + "revoked")
        }
        return try await change(context, reading: nothing, holdsPassword: false) {
            (account, _, idempotency) async throws(SessionError) in
            try await accounts.revokeAll(
                of: account, exceptCurrent: exception != nil, idempotency: idempotency)
        }
    }

    private func passwords(_ body: inout BodyReader) -> (old: String, new: String) {
        (body.string("oldPassword"), body.string("newPassword"))
    }

    private func password(_ body: inout BodyReader) -> String { body.string("password") }

    func nothing(_ body: inout BodyReader) {}

    /// Decodes the body and changes the account. The response has the status 204; a repeated
    /// request gets the stored response to the first request.
    /// - Parameters:
    ///   - holdsPassword: whether the body contains the account's password. Such a request can be
    ///     used to guess the password, so its repetitions are also checked against the limit on
    ///     guesses.
    ///   - newPassword: the name of the body member with the new password.
    ///   - perform: changes the account.
    func change<Body, Output>(
        _ context: Context, reading decode: (inout BodyReader) -> Body, holdsPassword: Bool,
        newPassword: String = "password",
        _ perform: (AccountDirectory.AuthenticatedAccount, Body, IdempotentRequest<Output>?)
            async throws(SessionError) ->
            IdempotentResult<Output>
    ) async throws -> Answer.DeferredResponse {
        let request = context.request
        let credential = try Self.credential(of: request)
        let idempotency: IdempotentRequest<Output>? = try request.idempotency(
            context.idempotencyKey, token: request.bearer(.credential)?.text ?? ""
        ) { _, _ in StoredResponse(.empty) }
        let account = try await accounts.authenticate(credential.text)
        // The first request may have revoked its own credential. Its repetition, with the same
        // credential, still gets the stored response. The service looks for the response after the
        // check of the credential: an equal request at the same time then has stored its response
        // already if it has revoked the credential.
        var stored: [UInt8]?
        if let idempotency {
            stored = try await accounts.response(
                to: idempotency, withPasswordFor: holdsPassword ? credential : nil,
                client: limits.client(of: request))
        }
        if let stored {
            return { () throws(Problem) in
                try Response(IdempotentResult<Output>.stored(stored)) { _ in .empty }
            }
        }
        guard let account else { throw Authorization.missing(.credential) }
        let body = try request.read(decode)
        try request.refuseEntityTags()
        let result: IdempotentResult<Output>
        do { result = try await perform(account, body, idempotency) } catch {
            throw Problem(error, newPassword: newPassword)
        }
        return { () throws(Problem) in try Response(result) { _ in .empty } }
    }

    /// Returns the account to which the request's credential (its bearer token) belongs.
    /// - Throws: `.unauthorized` if the credential is missing, malformed or invalid, always with
    ///   the same detail text; the problem for an error of the store.
    func authenticate(_ request: Request) async throws
        -> AccountDirectory.AuthenticatedAccount
    {
        let credential = try Self.credential(of: request)
        let account = try await accounts.authenticate(credential.text)
        guard let account else { throw Authorization.missing(.credential) }
        return account
    }

    static func credential(of request: Request) throws(Problem) -> Secret {
        guard let credential = request.bearer(.credential) else {
            throw Authorization.missing(.credential)
        }
        return credential
    }

}

extension JSONWriter {
    /// Writes a credential as a JSON object, without its secret.
    /// - Parameter isCurrent: whether the request used this credential; nil omits the member, for a
    ///   request without a credential.
    mutating func credential(_ credential: Credential, isCurrent: Bool? = nil) {
        object { json in
            json.member("id", credential.id.description)
            if let isCurrent { json.member("isCurrent", isCurrent) }
            json.member("session", credential.session)
            json.member("createdAt", credential.createdAt)
            json.member("expiresAt", credential.expiresAt)
            json.member("lastUsedAt", credential.lastUsedAt?.description)
        }
    }
}
