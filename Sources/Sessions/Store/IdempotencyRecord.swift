import Accounts

/// The response to a request with an `Idempotency-Key`, kept with what the request changed.
public struct IdempotencyRecord: Sendable, Equatable {
    /// A hash of the key and of who used it.
    public let id: SecretHash
    /// A hash of the request: the key must not come with another one.
    public let fingerprint: SecretHash
    /// The session that the record ends with; nil for one that belongs to no session, or outlives it.
    public let session: SessionID?
    /// Encrypted: a response may hold a token.
    public let sealedResponse: [UInt8]
    /// Bytes of the request, head and body.
    public let requestSize: Int
    public let expiresAt: Timestamp

    public init(
        id: SecretHash, fingerprint: SecretHash, session: SessionID?, sealedResponse: [UInt8],
        requestSize: Int, expiresAt: Timestamp
    ) {
        self.id = id
        self.fingerprint = fingerprint
        self.session = session
        self.sealedResponse = sealedResponse
        self.requestSize = requestSize
        self.expiresAt = expiresAt
    }
}

/// What the records of one session take together.
public struct IdempotencyUsage: Sendable, Equatable {
    public private(set) var count = 0
    /// Bytes of the responses, as they are kept.
    public private(set) var size = 0
    /// Bytes of the requests.
    public private(set) var requestSize = 0
    /// When the first of the records expires; nil if there are none.
    public private(set) var firstExpiry: Timestamp?

    public init() {}

    public init(count: Int, size: Int, requestSize: Int, firstExpiry: Timestamp?) {
        self.count = count
        self.size = size
        self.requestSize = requestSize
        self.firstExpiry = firstExpiry
    }

    public mutating func add(_ record: IdempotencyRecord) {
        count += 1
        size += record.sealedResponse.count
        requestSize += record.requestSize
        firstExpiry = min(firstExpiry ?? record.expiresAt, record.expiresAt)
    }
}

/// How long idempotency records are kept, and how much one session may have of them.
public struct IdempotencyPolicy: Sendable {
    public var lifetime = Duration.seconds(24 * 3600)
    /// How many records a session may have.
    public var maximumRecords = 1000

    public init() {}

    /// Bytes that the responses kept for a session may take whatever its requests were.
    private static let freeSize = 65_536
    /// Bytes that they may take for each byte of the requests, so that what a client makes the service
    /// keep is in proportion to what it sends.
    private static let sizePerRequestByte = 4

    /// Whether the records of a session may be these.
    func allows(_ usage: IdempotencyUsage) -> Bool {
        usage.count <= maximumRecords
            && usage.size <= Self.freeSize + Self.sizePerRequestByte * usage.requestSize
    }
}

/// A request that may be sent again: by its `Idempotency-Key`.
///
/// The record is found and opened by what the client alone knows, its token and the key. The store
/// knows neither.
public struct Attempt<Result: Sendable>: Sendable {
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
    private let response: @Sendable (Result, Form) -> [UInt8]

    /// - Parameters:
    ///   - token: of the session; empty where there is none yet.
    ///   - request: all that makes this request another than a different one.
    ///   - requestSize: of head and body, in bytes.
    public init(
        key: String, token: String, request: String, requestSize: Int,
        response: @escaping @Sendable (Result, Form) -> [UInt8]
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
        of result: Result, endingWith session: SessionID? = nil, _ service: SessionService,
        _ form: Form = .whole
    ) -> IdempotencyRecord {
        IdempotencyRecord(
            id: id, fingerprint: fingerprint, session: session,
            sealedResponse: SealedBox.seal(
                response(result, form), key: sealingKey, service.environment),
            requestSize: requestSize,
            expiresAt: service.environment.now() + service.idempotency.lifetime)
    }

    /// A record that counts with those that the session has. It holds the session only where there is
    /// room for it.
    /// - Throws: `.tooManyIdempotencyKeys` if there is no room for the rest either.
    func record(
        of result: Result, of session: SessionID, with usage: IdempotencyUsage,
        _ service: SessionService
    ) throws(SessionError) -> IdempotencyRecord {
        for form in [Form.whole, .withoutSession] {
            let record = record(of: result, endingWith: session, service, form)
            var next = usage
            next.add(record)
            if service.idempotency.allows(next) { return record }
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

/// What came of a request that may have come before.
public enum Answered<Result: Sendable>: Sendable {
    case now(Result)
    /// The response of the first time, as `Attempt` was told to keep it.
    case before([UInt8])
}
