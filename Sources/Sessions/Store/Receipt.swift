import Accounts

/// The answer to a request with an `Idempotency-Key`, kept with what the request changed.
public struct Receipt: Sendable, Equatable {
    /// A hash of the key and of who used it.
    public let id: SecretHash
    /// A hash of the request: the key must not come with another one.
    public let fingerprint: SecretHash
    /// Encrypted: an answer may hold a token.
    public let sealedAnswer: [UInt8]
    public let expiresAt: Timestamp

    public init(
        id: SecretHash, fingerprint: SecretHash, sealedAnswer: [UInt8], expiresAt: Timestamp
    ) {
        self.id = id
        self.fingerprint = fingerprint
        self.sealedAnswer = sealedAnswer
        self.expiresAt = expiresAt
    }
}

/// A request that may be sent again: by its `Idempotency-Key`.
///
/// The receipt is found and opened by what the client alone knows, its token and the key. The store
/// knows neither.
public struct Attempt<Result: Sendable>: Sendable {
    /// How long a receipt is kept.
    static var lifetime: Duration { .seconds(24 * 3600) }

    public let id: SecretHash
    let fingerprint: SecretHash
    private let sealingKey: SecretHash
    /// The answer to the request, as it is to be sent again.
    private let answer: @Sendable (Result) -> [UInt8]

    /// - Parameters:
    ///   - token: of the session; empty where there is none yet.
    ///   - request: all that makes this request another than a different one.
    public init(
        key: String, token: String, request: String,
        answer: @escaping @Sendable (Result) -> [UInt8]
    ) {
        // The lengths keep the parts apart.
        let secret = "\(token.utf8.count):\(token)\(key.utf8.count):\(key)"
        id = SecretHash(of: "id " + secret)
        sealingKey = SecretHash(of: "seal " + secret)
        // With the secret: the request may hold a password, which a hash of the request alone would
        // let anybody guess who reads the store.
        fingerprint = SecretHash(of: "request \(secret)\(request)")
        self.answer = answer
    }

    func receipt(of result: Result, _ environment: Environment) -> Receipt {
        Receipt(
            id: id, fingerprint: fingerprint,
            sealedAnswer: SealedBox.seal(answer(result), key: sealingKey, environment),
            expiresAt: environment.now() + Self.lifetime)
    }

    /// The answer of the first time.
    /// - Throws: `.idempotencyKeyReused` if the first time was another request.
    func replay(_ receipt: Receipt) throws(SessionError) -> [UInt8] {
        guard receipt.fingerprint == fingerprint,
            let answer = SealedBox.open(receipt.sealedAnswer, key: sealingKey)
        else { throw .idempotencyKeyReused }
        return answer
    }
}

/// What came of a request that may have come before.
public enum Answered<Result: Sendable>: Sendable {
    case now(Result)
    /// The answer of the first time.
    case before([UInt8])
}
