import Accounts
import Navigation
import Sessions
import WaypostCore

/// The history of a session in the form of earlier versions: complete states, and changes without
/// their effects.
enum EarlierJournal {
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

    /// Decodes a part of a history, which may be damaged.
    /// - Returns: nil if the bytes are not a sequence of records.
    static func decode(_ bytes: [UInt8]) -> [LogRecord]? {
        var reader = ByteReader(bytes)
        var records: [LogRecord] = []
        while !reader.isAtEnd {
            guard let record = try? record(from: &reader) else { return nil }
            records.append(record)
        }
        return records
    }

    private static func record(
        from reader: inout ByteReader
    ) throws(DamagedBytes) -> LogRecord {
        let head = try reader.byte()
        if head == Head.base { return .state(try state(from: &reader)) }
        guard head < Head.requestID << 1 else { throw DamagedBytes() }
        let revision = try reader.number()
        guard StoredRange.counts.contains(revision) else { throw DamagedBytes() }
        let time = try reader.time()
        let requestID = head & Head.requestID == 0 ? nil : try reader.text()
        let action: LogEntry.Action
        switch head & Head.kinds {
        case Head.perform:
            action = .perform(try reader.operation(), animated: head & Head.animated != 0)
        case Head.logIn, Head.signUp:
            action = .logIn(
                username: try reader.text(), credential: try reader.hash(),
                isSignUp: head & Head.kinds == Head.signUp)
        case Head.logOut: action = .logOut
        case Head.fallBack: action = .fallBack(try reader.choice())
        case Head.freshRoot: action = .freshRoot
        default: throw DamagedBytes()
        }
        return .entry(
            LogEntry(revision: revision, time: time, requestID: requestID, action: action))
    }

    private static func state(from reader: inout ByteReader) throws(DamagedBytes) -> LogState {
        // The first four bytes told which app and which version had written the state.
        _ = try reader.raw(4)
        let expiresAt = try reader.time()
        let credential = try reader.optional { reader throws(DamagedBytes) in try reader.hash() }
        let refusal: CredentialRefusal? = try reader.optional { reader throws(DamagedBytes) in
            try reader.choice()
        }
        let window = try reader.window()
        guard StoredRange.counts.contains(window.revision) else { throw DamagedBytes() }
        return LogState(
            window: window, expiresAt: expiresAt, credential: credential,
            credentialRefusal: refusal)
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
