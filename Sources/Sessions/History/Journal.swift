import Navigation
import WaypostCore

/// The settings for the history of all sessions. A session's journal holds its history: the changes
/// and, at intervals, complete states of the session.
struct HistoryPolicy: Sendable {
    /// The minimum number of changes to keep for each session, the newest ones; 0 to keep no
    /// history.
    let retention: Int
    /// A digest of the app definition and of the version of Waypost. If the digest has changed
    /// since a change was recorded, a replay of that change may lead to another state.
    let digest: UInt32

    var isOn: Bool { retention > 0 }

    /// The maximum number of changes between two complete states of a small session in its journal.
    private static let baseInterval = 100
    /// The maximum number of changes between two complete states of any session.
    static let maximumBaseInterval = 800
    /// The number of bytes of complete states that each change may add to the journal, on average.
    /// A small change is a request of about 250 bytes.
    private static let basePart = 512

    /// Returns whether a complete state is due before a change, however small the changes since the
    /// last complete state are. A large state is due more seldom, so that small changes do not fill
    /// the store with copies of it. The intervals are powers of two times the smallest one: if
    /// the size of the session changes, no interval exceeds the largest one in use.
    static func needsBase(before session: SessionSnapshot) -> Bool {
        let revision = session.window.revision
        guard revision.isMultiple(of: baseInterval) else { return false }
        let size = session.window.approximateSize
        var interval = baseInterval
        while interval < maximumBaseInterval, size > interval * basePart { interval *= 2 }
        return revision.isMultiple(of: interval)
    }

    /// The number of bytes of changes after which a complete state is due. If the last complete
    /// state is larger, its size counts instead. `needsBase` may require a complete state earlier. To rebuild a revision, the service replays the changes since the last complete
    /// state. This limit bounds that work, which grows with the size of the changes.
    static let baseRoom = 32 << 10

    init(retention: Int, _ app: App, programVersion: String) {
        self.retention = retention
        let sum = programVersion.utf8.reduce(app.digest) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        digest = UInt32(truncatingIfNeeded: (sum &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

/// The bytes that one commit adds to a session's journal. The type is a class so that `WriteBatch`,
/// which is passed through several functions, holds only a reference.
public final class JournalBatch: Sendable {
    public let bytes: [UInt8]
    /// The revisions of the first and of the last change.
    public let first: Int
    public let last: Int
    /// The revision of the first complete state in `bytes`; nil if they contain none. The lowest
    /// possible value is `first - 1`, for the state before the first change.
    public let base: Int?
    /// The digest of the app definition and the Waypost version that made the changes, see
    /// `HistoryPolicy.digest`.
    public let digest: Int
    /// The lowest revision to keep. The store may delete a part of the journal if the last change
    /// in that part has a lower revision.
    public let keptFrom: Int

    package init(
        bytes: [UInt8], first: Int, last: Int, base: Int?, digest: Int, keptFrom: Int
    ) {
        self.bytes = bytes
        self.first = first
        self.last = last
        self.base = base
        self.digest = digest
        self.keptFrom = keptFrom
    }
}

/// The last change in a session's journal, which stores the history of the session.
public struct JournalPosition: Sendable, Equatable {
    /// The revision of the last change in the journal.
    public let last: Int
    /// The digest of the app definition and the Waypost version that made the last change, see
    /// `HistoryPolicy.digest`.
    public let digest: Int

    public init(last: Int, digest: Int) {
        self.last = last
        self.digest = digest
    }
}

/// Consecutive changes of a session's journal, with the complete states between them.
public struct JournalPart: Sendable, Equatable {
    /// The encoded changes and complete states, in order. Each element is one chunk of the journal,
    /// as the store keeps it.
    public let chunks: [[UInt8]]
    /// The revision of the oldest complete state in the whole journal; nil if there is none.
    public let oldest: Int?

    public init(chunks: [[UInt8]], oldest: Int?) {
        self.chunks = chunks
        self.oldest = oldest
    }

    public static let none = JournalPart(chunks: [], oldest: nil)

    /// Returns the range from the first to the last revision of the changes in a chunk of a
    /// journal. The command that checks a store calls this method.
    /// - Returns: nil if the bytes are damaged, if they contain no change, or if the revisions of
    ///   their changes do not increase from each change to the next.
    package static func revisions(in bytes: [UInt8]) -> ClosedRange<Int>? {
        guard let records = JournalRecord.decode(bytes) else { return nil }
        let revisions = records.compactMap { record -> Int? in
            if case .entry(let entry) = record { entry.revision } else { nil }
        }
        guard let first = revisions.first, let last = revisions.last,
            zip(revisions, revisions.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        return first...last
    }
}

/// Builds the bytes of a journal from changes that are not stored yet.
struct JournalDraft: Sendable {
    private var writer = ByteWriter()
    private var first: Int?
    private var last = 0
    private var base: Int?

    /// Adds a complete state.
    /// - Returns: the number of bytes that the following changes may take before the next complete
    ///   state is due. The number is at least the size of the added state. Complete states thus
    ///   take no more space than changes, except where `needsBase` requires a state earlier.
    @discardableResult
    mutating func add(_ session: SessionSnapshot, digest: UInt32) -> Int {
        if base == nil { base = session.window.revision }
        let start = size
        JournalRecord.base(JournalBase(session, digest: digest)).write(into: &writer)
        return max(size - start, HistoryPolicy.baseRoom)
    }

    /// The size of the encoded changes and complete states, in bytes.
    var size: Int { writer.bytes.count }

    mutating func add(_ entry: JournalEntry) {
        if first == nil { first = entry.revision }
        last = entry.revision
        JournalRecord.write(entry, into: &writer)
    }

    /// Returns the changes and complete states for a commit; nil if there are no changes.
    func batch(_ policy: HistoryPolicy) -> JournalBatch? {
        guard let first else { return nil }
        return JournalBatch(
            bytes: writer.bytes, first: first, last: last, base: base,
            digest: Int(policy.digest),
            keptFrom: last - policy.retention - HistoryPolicy.maximumBaseInterval)
    }
}

/// A session's journal in a `MemoryStore`, divided into chunks of bytes. The other stores keep each
/// chunk in a row of its own.
struct MemoryJournal: Sendable {
    private struct Chunk: Sendable {
        let first: Int
        var last: Int
        let base: Int?
        var digest: Int
        var bytes: [UInt8]
    }

    /// The size, in bytes, up to which a chunk can grow when a `JournalBatch` is appended to it. A
    /// batch that does not fit begins a new chunk. If this batch alone is larger than the limit,
    /// the new chunk is larger, too.
    private static let chunkSize = 2048

    private var chunks: [Chunk] = []

    /// The last change in the journal; nil if the journal is empty.
    var position: JournalPosition? {
        chunks.last.map { JournalPosition(last: $0.last, digest: $0.digest) }
    }

    mutating func append(_ batch: JournalBatch) {
        if batch.base == nil, let end = chunks.indices.last,
            chunks[end].bytes.count + batch.bytes.count <= Self.chunkSize
        {
            chunks[end].bytes += batch.bytes
            chunks[end].last = batch.last
            chunks[end].digest = batch.digest
            return
        }
        chunks.append(
            Chunk(
                first: batch.first, last: batch.last, base: batch.base, digest: batch.digest,
                bytes: batch.bytes))
        chunks.removeFirst(chunks.prefix { $0.last < batch.keptFrom }.count)
    }

    /// Returns the chunks from which the changes after revision `first` can be replayed. The chunks
    /// begin with the one that holds the last complete state at or before `first`. If there is no
    /// such state, they begin with the oldest chunk.
    /// - Parameter last: the last revision to return; the last chunk may also hold later ones.
    func part(from first: Int, through last: Int) -> JournalPart {
        let start = chunks.lastIndex { ($0.base ?? .max) <= first } ?? 0
        let found = chunks[min(start, chunks.count)...].prefix { $0.first <= last }
        return JournalPart(
            chunks: found.map(\.bytes), oldest: chunks.lazy.compactMap(\.base).first)
    }
}
