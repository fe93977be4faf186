import WaypostCore

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

/// The size of all records of one session.
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
