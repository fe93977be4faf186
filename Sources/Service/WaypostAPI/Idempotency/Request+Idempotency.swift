import HTTPCore
import JSON
import Sessions
import WaypostCore

extension Request {
    /// Returns the data with which the service recognizes a repetition of this request; nil if the
    /// request has no `Idempotency-Key`.
    /// - Parameters:
    ///   - key: the value of `Idempotency-Key`, as `IdempotencyKeys` has found it.
    ///   - token: the text that identifies the client, usually its bearer token; empty for a client
    ///     without a token.
    ///   - minimumLength: the minimum length of the key. A key longer than one character must be
    ///     random, because nothing else protects the stored response.
    ///   - response: the function that converts the result of the request to the response to store.
    ///     The argument is evaluated only if the request has a valid `Idempotency-Key`.
    /// - Throws: `.invalidIdempotencyKey` if the key is too short.
    func idempotency<Output>(
        _ key: String?, token: @autoclosure () -> String, minimumLength: Int = 1,
        _ response:
            @autoclosure () ->
            @Sendable (Output, IdempotentRequest<Output>.Form) ->
            StoredResponse
    ) throws(Problem) -> IdempotentRequest<Output>? {
        guard let key else { return nil }
        guard key.utf8.count >= minimumLength else {
            throw Problem(
                .invalidIdempotencyKey,
                "the Idempotency-Key of this request must have at least \(minimumLength) random "
                    + "characters, because the stored response holds a token: send a new UUID")
        }
        var request = [method.name, target.path, headers.combined("If-Match") ?? ""]
            .joined(separator: "\n")
        for item in target.query { request += "\n?\(item.name)=\(item.value)" }
        if let preference = headers.combined("Prefer") { request += "\nPrefer: \(preference)" }
        let response = response()
        return IdempotentRequest(
            key: key, token: token(),
            request: request + "\n" + String(decoding: body, as: UTF8.self), requestSize: size,
            response: { response($0, $1).bytes })
    }

    /// The approximate size of the request's header fields, path and body, in bytes.
    private var size: Int {
        headers.withRawFields { fields in
            fields.reduce(target.path.utf8.count + body.count) {
                $0 + $1.name.count + $1.value.count + 4
            }
        }
    }
}

extension Response {
    /// Creates the response to a request that may be a repetition. A first request gets the
    /// response that `respond` makes from the result. A repetition gets the stored response.
    /// - Parameter present: the session that the response belongs to, as it is now; nil if it
    ///   belongs to none.
    /// - Throws: `.credentialRevoked` if the log-in of the first response has ended;
    ///   `.internalError` if the stored response cannot be decoded, or was stored without its
    ///   member `session`.
    init<Output>(
        _ answered: IdempotentResult<Output>, of present: SessionState? = nil,
        _ respond: (Output) -> Response
    ) throws(Problem) {
        switch answered {
        case .fresh(let result): self = respond(result)
        case .stored(let bytes):
            let stored = try StoredResponse.read(bytes)
            guard !stored.lacksSession else { throw .unreadableRecord }
            if let present { try stored.checkLogIn(of: present) }
            self = stored.response
            headers.append("Idempotency-Replayed", "true")
        }
    }
}
