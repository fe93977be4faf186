import WaypostCore

/// A request with an `Idempotency-Key`, which a client may safely send again.
///
/// The id and the encryption key of the request's `IdempotencyRecord` are derived from the client's
/// token and the idempotency key. The store holds neither the token nor the idempotency key.
public final class IdempotentRequest<Output: Sendable>: Sendable {
    /// The part of a response that is stored.
    public enum Form: Sendable {
        case whole
        /// The response without the session, which is read again when the request is repeated.
        case withoutSession
    }

    public let id: SecretHash
    let fingerprint: SecretHash
    private let sealingKey: SecretHash
    private let requestSize: Int
    /// Encodes the response in the form in which it is stored.
    private let response: @Sendable (Output, Form) -> [UInt8]

    /// - Parameters:
    ///   - token: the text that identifies the client, usually its bearer token; empty if it has
    ///     none.
    ///   - request: a text that is the same only for equal requests.
    ///   - requestSize: the size of head and body, in bytes.
    ///   - response: encodes the output as the stored response.
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

    /// Makes a record without checking a session's limits.
    /// - Parameter session: the session that the record is deleted with; nil if the record outlives
    ///   the session.
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

    /// Makes a record within the session's limits. The stored response contains the session only if
    /// the limits allow its size.
    /// - Parameter usage: the number and size of the records that the session already has.
    /// - Throws: `.tooManyIdempotencyKeys` if the limits do not even allow the response without the
    ///   session.
    func record(
        of output: Output, of session: SessionID, with usage: IdempotencyUsage,
        _ dependencies: SessionDependencies
    ) throws(SessionError) -> IdempotencyRecord {
        for form in [Form.whole, .withoutSession] {
            let record = record(of: output, endingWith: session, dependencies, form)
            var next = usage
            next.add(record)
            if dependencies.idempotency.allows(next) { return record }
        }
        throw .tooManyIdempotencyKeys(until: usage.firstExpiry)
    }

    /// Returns the response to the first request with this key.
    /// - Parameter record: the stored record of the first request.
    /// - Throws: `.idempotencyKeyReused` if the first request with this key was a different one.
    func replay(_ record: IdempotencyRecord) throws(SessionError) -> [UInt8] {
        guard record.fingerprint == fingerprint,
            let response = SealedBox.open(record.sealedResponse, key: sealingKey)
        else { throw .idempotencyKeyReused }
        return response
    }
}

/// The result of a request that may be a repetition.
public enum Answered<Output: Sendable>: Sendable {
    case fresh(Output)
    /// The stored response to the first request, in the `Form` in which it was kept.
    case replayed([UInt8])
}
