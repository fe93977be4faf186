import WaypostCore

/// The response to a request with an `Idempotency-Key`, stored together with the change that the
/// request made.
public struct IdempotencyRecord: Sendable, Equatable {
    /// A hash of the idempotency key and the token of the client.
    public let id: SecretHash
    /// A hash of the request. A request with the same key but another hash is rejected.
    public let fingerprint: SecretHash
    /// The session whose end deletes the record; nil if the record does not depend on a session.
    public let session: SessionID?
    /// The encrypted response, which may contain a token.
    public let sealedResponse: [UInt8]
    /// The size of the request's head and body, in bytes.
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

/// The number and total size of one session's idempotency records.
public struct IdempotencyUsage: Sendable, Equatable {
    public private(set) var count = 0
    /// The total size of the stored responses, in bytes.
    public private(set) var size = 0
    /// The total size of the requests that the records answer, in bytes. The limit on `size` grows
    /// with it.
    public private(set) var requestSize = 0
    /// The time when the first record expires; nil if there are no records.
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

extension IdempotencyUsage {
    /// Returns the time until the first record expires, at least one second; nil if there are no
    /// records.
    func timeToExpiry(_ dependencies: SessionDependencies) -> Duration? {
        firstExpiry.map { expiry in
            let now = dependencies.environment.now()
            return .milliseconds(max(expiry.milliseconds - now.milliseconds, 1000))
        }
    }
}

/// The lifetime of idempotency records and their limits per session.
public struct IdempotencyPolicy: Sendable {
    public var lifetime = Duration.seconds(24 * 3600)
    /// The maximum number of records per session.
    public var maximumRecords = 1000

    public init() {}

    /// The basic limit on the total size of the stored responses of one session, in bytes. The
    /// requests that they answer add to this limit; see `sizePerRequestByte`.
    private static let freeSize = 65_536
    /// The number of bytes of stored responses that a session may have in addition to `freeSize`
    /// for each byte of the requests that they answer. The stored data thus grows only in
    /// proportion to the data that a client sends.
    private static let sizePerRequestByte = 4

    /// Returns whether the number and size of a session's records are within the limits.
    func allows(_ usage: IdempotencyUsage) -> Bool {
        usage.count <= maximumRecords
            && usage.size <= Self.freeSize + Self.sizePerRequestByte * usage.requestSize
    }
}
