import Navigation
import WaypostCore

/// The settings of the history of sessions.
struct HistoryPolicy: Sendable {
    /// The least number of newest changes to keep; 0 if no history is kept.
    let retention: Int
    /// A digest of the app and of the program. Another program may show a revision differently.
    let digest: UInt32

    var isOn: Bool { retention > 0 }

    /// The most changes between two complete states in a journal.
    static let baseInterval = 100
    /// The least size of the changes between two complete states, in bytes, unless `baseInterval`
    /// requires a complete state earlier. The changes after a complete state are replayed to rebuild a
    /// revision, and the work for a change grows with its size.
    static let baseRoom = 32 << 10

    init(retention: Int, _ app: App, programVersion: String) {
        self.retention = retention
        let sum = programVersion.utf8.reduce(app.digest) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        digest = UInt32(truncatingIfNeeded: (sum &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

/// The journal of the changes of one commit. The type is a class to keep `WriteBatch` small, which
/// passes through several functions.
public final class JournalBatch: Sendable {
    public let bytes: [UInt8]
    /// The revisions of the first and of the last change.
    public let first: Int
    public let last: Int
    /// The revision of the first complete state in the bytes; nil if they have none. It is the revision
    /// of a change of the batch, or the one before the first change.
    public let base: Int?
    /// The digest of the app and of the program that the changes were made in.
    public let digest: Int
    /// Parts of the journal whose last change has a lower revision are no longer needed.
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

/// The end of a session's journal.
public struct JournalPosition: Sendable, Equatable {
    /// The revision of the last change in the journal.
    public let last: Int
    /// The digest of the app and of the program that this change was made in.
    public let digest: Int

    public init(last: Int, digest: Int) {
        self.last = last
        self.digest = digest
    }
}

/// Consecutive changes of a session's journal.
public struct JournalPart: Sendable, Equatable {
    /// The bytes of the changes and complete states, in order, divided as the store keeps them.
    public let chunks: [[UInt8]]
    /// The revision of the oldest complete state in the whole journal; nil if there is none.
    public let oldest: Int?

    public init(chunks: [[UInt8]], oldest: Int?) {
        self.chunks = chunks
        self.oldest = oldest
    }

    public static let none = JournalPart(chunks: [], oldest: nil)

    /// Returns the first and the last revision of the changes in a chunk's bytes, for the check of a
    /// store.
    /// - Returns: nil if the bytes are damaged or have no change, or if the changes are not in order.
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

/// The journal of changes that are not stored yet.
struct JournalDraft: Sendable {
    private var writer = ByteWriter()
    private var first: Int?
    private var last = 0
    private var base: Int?

    /// Adds a complete state.
    /// - Returns: the size of the following changes, in bytes, after which the next complete state is
    ///   due. It is at least the size of this state, so that the states take no more space than the
    ///   changes, unless `baseInterval` requires a state earlier.
    @discardableResult
    mutating func add(_ session: SessionSnapshot, digest: UInt32) -> Int {
        if base == nil { base = session.window.revision }
        let start = size
        JournalRecord.base(JournalBase(session, digest: digest)).write(into: &writer)
        return max(size - start, HistoryPolicy.baseRoom)
    }

    /// The size of the journal, in bytes.
    var size: Int { writer.bytes.count }

    mutating func add(_ entry: JournalEntry) {
        if first == nil { first = entry.revision }
        last = entry.revision
        JournalRecord.write(entry, into: &writer)
    }

    /// Returns the journal for a commit; nil if there are no changes.
    func batch(_ policy: HistoryPolicy) -> JournalBatch? {
        guard let first else { return nil }
        return JournalBatch(
            bytes: writer.bytes, first: first, last: last, base: base,
            digest: Int(policy.digest),
            keptFrom: last - policy.retention - HistoryPolicy.baseInterval)
    }
}

/// A session's journal in a `MemoryStore`. The other stores keep such chunks in rows.
struct MemoryJournal: Sendable {
    private struct Chunk: Sendable {
        let first: Int
        var last: Int
        let base: Int?
        var digest: Int
        var bytes: [UInt8]
    }

    /// The largest size up to which further batches are appended to a chunk, in bytes.
    private static let chunkSize = 2048

    private var chunks: [Chunk] = []

    /// The end of the journal; nil if it is empty.
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

    /// Returns the part of the journal that begins with the chunk of the last complete state at or
    /// below `first`, or with the oldest chunk if there is no such state.
    /// - Parameter last: the last revision that is wanted.
    func part(from first: Int, through last: Int) -> JournalPart {
        let start = chunks.lastIndex { ($0.base ?? .max) <= first } ?? 0
        let found = chunks[min(start, chunks.count)...].prefix { $0.first <= last }
        return JournalPart(
            chunks: found.map(\.bytes), oldest: chunks.lazy.compactMap(\.base).first)
    }
}
