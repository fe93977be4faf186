import WaypostCore

/// A request with an `Idempotency-Key`. A client may send such a request again without a second
/// effect.
///
/// The id and the encryption key of the request's `IdempotencyRecord` are derived from the client's
/// token and the `Idempotency-Key`. The store holds neither the token nor the `Idempotency-Key`.
public final class IdempotentRequest<Output: Sendable>: Sendable {
    /// The part of a response that is stored.
    public enum Form: Sendable {
        case whole
        /// The response without the session's state. When the request is repeated, the present
        /// state is read for the response.
        case withoutSession
    }

    public let id: SecretHash
    let fingerprint: SecretHash
    private let sealingKey: SecretHash
    private let requestSize: Int
    /// Encodes the response to store, completely or without the session's state.
    private let response: @Sendable (Output, Form) -> [UInt8]

    /// - Parameters:
    ///   - key: the `Idempotency-Key`.
    ///   - token: a text that identifies the client, usually its bearer token; empty if the client
    ///     sent none.
    ///   - request: a text that represents the request. Only equal requests have the same text.
    ///   - requestSize: the size of the request's head and body, in bytes.
    ///   - response: encodes the response to store, completely or without the session's state.
    public init(
        key: String, token: String, request: String, requestSize: Int,
        response: @escaping @Sendable (Output, Form) -> [UInt8]
    ) {
        // The lengths make the text unambiguous: no other token and key give the same one.
        let secret = "\(token.utf8.count):\(token)\(key.utf8.count):\(key)"
        id = SecretHash(of: "id " + secret)
        sealingKey = SecretHash(of: "seal " + secret)
        // The secret is part of the hash because a request may hold a password. With a hash of the
        // request alone, a reader of the store could test guesses of the password.
        fingerprint = SecretHash(of: "request \(secret)\(request)")
        self.requestSize = requestSize
        self.response = response
    }

    /// Makes the record to store, without checking the limits for a session's records.
    /// - Parameters:
    ///   - output: the result of the request.
    ///   - session: the session whose end deletes the record; nil if the record does not depend on
    ///     a session.
    ///   - form: how much of the response is stored.
    func record(
        of output: Output, endingWith session: SessionID? = nil,
        _ dependencies: SessionDependencies,
        _ form: Form = .whole
    ) -> IdempotencyRecord {
        IdempotencyRecord(
            id: id, fingerprint: fingerprint, session: session,
            sealedResponse: SealedBox.seal(
                response(output, form), key: sealingKey, dependencies.environment),
            requestSize: requestSize,
            expiresAt: dependencies.environment.now() + dependencies.idempotency.lifetime)
    }

    /// Makes the record to store, and adds its size to those of the session's other records. If the
    /// whole response would exceed `SizeLimit.withSession`, the record holds the response
    /// without the session's state.
    /// - Parameters:
    ///   - output: the result of the request.
    ///   - session: the session whose end deletes the record.
    ///   - sizes: the sizes of the records that the session already has.
    func record(
        of output: Output, of session: SessionID, with sizes: inout IdempotencyRecordSizes,
        _ dependencies: SessionDependencies
    ) -> IdempotencyRecord {
        let whole = record(of: output, endingWith: session, dependencies)
        sizes.add(whole)
        if IdempotencyPolicy.SizeLimit.withSession.allows(sizes) { return whole }
        sizes.removeLast()
        let short = record(of: output, endingWith: session, dependencies, .withoutSession)
        sizes.add(short)
        return short
    }

    /// Decrypts the stored response to the first request with this key.
    /// - Parameter record: the stored record of the first request.
    /// - Returns: the encoded response.
    /// - Throws: `.idempotencyKeyReused` if the first request with this key was a different one.
    func storedResponse(in record: IdempotencyRecord) throws(SessionError) -> [UInt8] {
        guard record.fingerprint == fingerprint,
            let response = SealedBox.open(record.sealedResponse, key: sealingKey)
        else { throw .idempotencyKeyReused }
        return response
    }
}

/// The result of a request that a client may have sent before.
public enum IdempotentResult<Output: Sendable>: Sendable {
    case fresh(Output)
    /// The stored response to the first request. It lacks the session's state if the whole response
    /// would have exceeded the limits for stored responses; see `IdempotentRequest.Form`.
    case stored([UInt8])
}
