import Accounts
import Navigation
import WaypostCore

/// One change of a session: the requested operation, without its result.
public struct JournalEntry: Sendable, Equatable {
    public enum Change: Sendable, Equatable {
        case perform(Operation, animated: Bool)
        /// A log-in or a sign-up, without its password.
        /// - Parameter credential: the hash of the credential that the log-in issued.
        case logIn(username: String, credential: SecretHash, isSignUp: Bool)
        case logOut
        /// The session was logged out because its credential was no longer valid.
        case fallBack(CredentialRefusal)
        /// The window started again at its root view controller, because the app lacked a scene or
        /// data that the session needed.
        case freshRoot
    }

    /// The session's revision after the change.
    public let revision: Int
    public let time: Timestamp
    /// The `X-Request-ID` that the client sent; nil if it sent none.
    public let requestID: String?
    public let change: Change

    init(revision: Int, time: Timestamp, requestID: String? = nil, change: Change) {
        self.revision = revision
        self.time = time
        self.requestID = requestID
        self.change = change
    }
}

/// A complete state of a session in its journal. A replay of the changes that follow in the journal
/// starts from this state.
struct JournalBase: Sendable, Equatable {
    let window: WindowArchive
    let expiresAt: Timestamp
    let credential: SecretHash?
    let credentialRefusal: CredentialRefusal?
    /// The digest of the app definition and the Waypost version that wrote the state, see
    /// `HistoryPolicy.digest`.
    let digest: UInt32

    init(_ session: SessionSnapshot, digest: UInt32) {
        self.init(
            window: session.window.archive, expiresAt: session.expiresAt,
            credential: session.credential, credentialRefusal: session.credentialRefusal,
            digest: digest)
    }

    init(
        window: WindowArchive, expiresAt: Timestamp, credential: SecretHash?,
        credentialRefusal: CredentialRefusal?, digest: UInt32
    ) {
        self.window = window
        self.expiresAt = expiresAt
        self.credential = credential
        self.credentialRefusal = credentialRefusal
        self.digest = digest
    }
}

/// An item of a journal: a complete state or a change. The bytes of a journal are its encoded
/// records, one directly after the other.
enum JournalRecord: Sendable, Equatable {
    case base(JournalBase)
    case entry(JournalEntry)
}

// MARK: - Bytes

extension JournalRecord {
    /// The values and bits of a record's first byte. The lowest three bits hold the kind of the
    /// record. The next bit is set for an animated operation, and the bit after that if the record
    /// contains a request id.
    private enum Head {
        static let base: UInt8 = 0
        static let perform: UInt8 = 1
        static let logIn: UInt8 = 2
        static let signUp: UInt8 = 3
        static let logOut: UInt8 = 4
        static let fallBack: UInt8 = 5
        static let freshRoot: UInt8 = 6
        static let kinds: UInt8 = 7
        static let animated: UInt8 = 8
        static let requestID: UInt8 = 16
    }

    func write(into writer: inout ByteWriter) {
        switch self {
        case .base(let base):
            writer.byte(Head.base)
            for shift in stride(from: 0, to: 32, by: 8) {
                writer.byte(UInt8(truncatingIfNeeded: base.digest >> shift))
            }
            writer.signed(base.expiresAt.milliseconds)
            writer.optional(base.credential) { $0.raw($1.bytes) }
            writer.optional(base.credentialRefusal) { $0.text($1.rawValue) }
            writer.window(base.window)
        case .entry(let entry): Self.write(entry, into: &writer)
        }
    }

    static func write(_ entry: JournalEntry, into writer: inout ByteWriter) {
        let kind: UInt8 =
            switch entry.change {
            case .perform(_, animated: true): Head.perform | Head.animated
            case .perform: Head.perform
            case .logIn(_, _, isSignUp: true): Head.signUp
            case .logIn: Head.logIn
            case .logOut: Head.logOut
            case .fallBack: Head.fallBack
            case .freshRoot: Head.freshRoot
            }
        writer.byte(kind | (entry.requestID == nil ? 0 : Head.requestID))
        writer.number(entry.revision)
        writer.signed(entry.time.milliseconds)
        if let id = entry.requestID { writer.text(id) }
        switch entry.change {
        case .perform(let operation, _): writer.operation(operation)
        case .logIn(let username, let credential, _):
            writer.text(username)
            writer.raw(credential.bytes)
        case .fallBack(let refusal): writer.text(refusal.rawValue)
        case .logOut, .freshRoot: break
        }
    }

    init(from reader: inout ByteReader) throws(DamagedBytes) {
        let head = try reader.byte()
        if head == Head.base {
            self = .base(try JournalBase(from: &reader))
            return
        }
        guard head < Head.requestID << 1 else { throw DamagedBytes() }
        let revision = try reader.number()
        let time = try reader.time()
        let requestID = head & Head.requestID == 0 ? nil : try reader.text()
        let change: JournalEntry.Change
        switch head & Head.kinds {
        case Head.perform:
            change = .perform(try reader.operation(), animated: head & Head.animated != 0)
        case Head.logIn, Head.signUp:
            change = .logIn(
                username: try reader.text(), credential: try reader.hash(),
                isSignUp: head & Head.kinds == Head.signUp)
        case Head.logOut: change = .logOut
        case Head.fallBack: change = .fallBack(try reader.choice())
        case Head.freshRoot: change = .freshRoot
        default: throw DamagedBytes()
        }
        self = .entry(
            JournalEntry(revision: revision, time: time, requestID: requestID, change: change))
    }

    /// Decodes the bytes of a journal, which may be damaged.
    /// - Returns: nil if the bytes are not a sequence of records.
    static func decode(_ bytes: [UInt8]) -> [JournalRecord]? {
        var reader = ByteReader(bytes)
        var records: [JournalRecord] = []
        while !reader.isAtEnd {
            guard let record = try? JournalRecord(from: &reader) else { return nil }
            records.append(record)
        }
        return records
    }
}

extension JournalBase {
    fileprivate init(from reader: inout ByteReader) throws(DamagedBytes) {
        let digest = try reader.raw(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        let expiresAt = try reader.time()
        let credential = try reader.optional { reader throws(DamagedBytes) in try reader.hash() }
        let refusal: CredentialRefusal? = try reader.optional { reader throws(DamagedBytes) in
            try reader.choice()
        }
        self.init(
            window: try reader.window(), expiresAt: expiresAt, credential: credential,
            credentialRefusal: refusal, digest: digest)
    }
}

extension ByteReader {
    fileprivate mutating func hash() throws(DamagedBytes) -> SecretHash {
        SecretHash(bytes: Array(try raw(32)))
    }

    fileprivate mutating func time() throws(DamagedBytes) -> Timestamp {
        let milliseconds = try signed()
        guard (-Self.limit...Self.limit).contains(milliseconds) else { throw DamagedBytes() }
        return Timestamp(milliseconds: milliseconds)
    }
}
