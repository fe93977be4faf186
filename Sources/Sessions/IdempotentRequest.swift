import WaypostCore

/// A request that may be sent again: by its `Idempotency-Key`.
///
/// The record is found and opened by what the client alone knows, its token and the key. The store
/// knows neither.
public final class IdempotentRequest<Output: Sendable>: Sendable {
    /// How much of a response is kept.
    public enum Form: Sendable {
        case whole
        /// All but what can be shown as it is when the request comes again.
        case withoutSession
    }

    public let id: SecretHash
    let fingerprint: SecretHash
    private let sealingKey: SecretHash
    private let requestSize: Int
    /// The response to the request, as it is to be sent again.
    private let response: @Sendable (Output, Form) -> [UInt8]

    /// - Parameters:
    ///   - token: of the session; empty where there is none yet.
    ///   - request: all that makes this request another than a different one.
    ///   - requestSize: of head and body, in bytes.
    public init(
        key: String, token: String, request: String, requestSize: Int,
        response: @escaping @Sendable (Output, Form) -> [UInt8]
    ) {
        // The lengths keep the parts apart.
        let secret = "\(token.utf8.count):\(token)\(key.utf8.count):\(key)"
        id = SecretHash(of: "id " + secret)
        sealingKey = SecretHash(of: "seal " + secret)
        // With the secret: the request may hold a password, which a hash of the request alone would
        // let anybody guess who reads the store.
        fingerprint = SecretHash(of: "request \(secret)\(request)")
        self.requestSize = requestSize
        self.response = response
    }

    /// A record that no other counts with.
    /// - Parameter session: the one that the record ends with.
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

    /// A record that counts with those that the session has. It holds the session only where there is
    /// room for it.
    /// - Throws: `.tooManyIdempotencyKeys` if there is no room for the rest either.
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

    /// The response of the first time.
    /// - Throws: `.idempotencyKeyReused` if the first time was another request.
    func replay(_ record: IdempotencyRecord) throws(SessionError) -> [UInt8] {
        guard record.fingerprint == fingerprint,
            let response = SealedBox.open(record.sealedResponse, key: sealingKey)
        else { throw .idempotencyKeyReused }
        return response
    }
}

/// The result of a request that may have come before.
public enum Answered<Output: Sendable>: Sendable {
    case fresh(Output)
    /// The response of the first time, as `IdempotentRequest` was told to keep it.
    case replayed([UInt8])
}
