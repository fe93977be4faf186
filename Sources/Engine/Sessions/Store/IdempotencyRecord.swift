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

/// The sizes of one session's idempotency records, the oldest first.
public struct IdempotencyRecordSizes: Sendable, Equatable {
    public struct Entry: Sendable, Equatable {
        /// The size of the stored response, in bytes.
        let size: UInt32
        /// The size of the request that the record answers, in bytes.
        let requestSize: UInt32
        let expiresAt: Timestamp

        public init(size: Int, requestSize: Int, expiresAt: Timestamp) {
            self.size = UInt32(clamping: size)
            self.requestSize = UInt32(clamping: requestSize)
            self.expiresAt = expiresAt
        }
    }

    private var entries: [Entry] = []
    /// The total size of the stored responses, in bytes.
    public private(set) var size = 0
    /// The total size of the requests that the records answer, in bytes. The limit on `size` grows
    /// with it.
    public private(set) var requestSize = 0

    public init() {}

    /// - Parameter entries: the sizes of the records, the oldest first.
    public init(_ entries: [Entry]) {
        for entry in entries { add(entry) }
    }

    public var count: Int { entries.count }

    mutating func add(_ record: IdempotencyRecord) {
        add(
            Entry(
                size: record.sealedResponse.count, requestSize: record.requestSize,
                expiresAt: record.expiresAt))
    }

    private mutating func add(_ entry: Entry) {
        entries.append(entry)
        size += Int(entry.size)
        requestSize += Int(entry.requestSize)
    }

    /// Removes the newest record.
    mutating func removeLast() {
        guard let entry = entries.popLast() else { return }
        size -= Int(entry.size)
        requestSize -= Int(entry.requestSize)
    }

    /// Removes the oldest records.
    mutating func removeFirst(_ count: Int) {
        for entry in entries.prefix(count) {
            size -= Int(entry.size)
            requestSize -= Int(entry.requestSize)
        }
        entries.removeFirst(count)
    }

    /// Removes the oldest records up to the first one that has not expired.
    mutating func removeExpired(at now: Timestamp) {
        removeFirst(entries.prefix { $0.expiresAt <= now }.count)
    }
}

/// The lifetime of idempotency records and their limits per session.
public struct IdempotencyPolicy: Sendable {
    public var lifetime = Duration.seconds(24 * 3600)
    /// The maximum number of records per session. A further record replaces the oldest one.
    public var maximumRecords = 1000

    public init() {}

    /// The limits on the total size of the stored responses of one session. Each allows a number of
    /// bytes, its raw value, and 4 bytes for each byte of the requests that the responses answer. The
    /// stored data thus grows only in proportion to the data that a client sends.
    enum SizeLimit: Int {
        /// Beyond this limit, responses are stored without the session's state.
        case withSession = 65_536
        /// Beyond this limit, the oldest records are removed. The responses to `maximumRecords`
        /// ordinary changes, without the session's state, are within it.
        case total = 1_048_576

        /// Returns whether the total size of a session's records is within the limit.
        func allows(_ sizes: IdempotencyRecordSizes) -> Bool {
            sizes.size <= rawValue + 4 * sizes.requestSize
        }
    }

    /// Removes the oldest records until the others are within the limits. The newest record stays,
    /// even if it alone is too large.
    /// - Returns: the number of removed records.
    func removeOldest(from sizes: inout IdempotencyRecordSizes) -> Int {
        let count = sizes.count
        let excess = sizes.count - max(maximumRecords, 1)
        if excess > 0 { sizes.removeFirst(excess) }
        while sizes.count > 1, !SizeLimit.total.allows(sizes) { sizes.removeFirst(1) }
        return count - sizes.count
    }
}
