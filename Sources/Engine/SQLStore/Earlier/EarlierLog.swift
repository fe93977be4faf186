import NavigationRules
import Sessions
import WaypostCore

/// The history of a session in the form of earlier versions: complete states, and changes without
/// their effects.
enum EarlierLog {
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

    /// The lowest three bits of a record's first byte hold its kind. The bit `animated` is set for an
    /// animated operation, and the bit `requestID` if the record contains a request id.
    private static func record(from reader: inout ByteReader) throws -> LogRecord {
        let (kinds, animated, requestID): (UInt8, UInt8, UInt8) = (7, 8, 16)
        let head = try reader.byte()
        if head == 0 { return .state(try state(from: &reader)) }
        guard head < requestID << 1 else { throw DamagedBytes() }
        let revision = try reader.number()
        guard StoredRange.counts.contains(revision) else { throw DamagedBytes() }
        let time = try reader.time()
        let request = head & requestID == 0 ? nil : try reader.text()
        let action: LogEntry.Action
        switch head & kinds {
        case 1: action = .perform(try reader.operation(), animated: head & animated != 0)
        case 2, 3:
            action = .logIn(
                username: try reader.text(), credential: try reader.hash(),
                isSignUp: head & kinds == 3)
        case 4: action = .logOut
        case 5: action = .fallBack(try reader.choice())
        case 6: action = .freshRoot
        default: throw DamagedBytes()
        }
        return .entry(
            LogEntry(revision: revision, time: time, requestID: request, action: action))
    }

    private static func state(from reader: inout ByteReader) throws -> LogState {
        // The first four bytes told which app and which version had written the state.
        _ = try reader.raw(4)
        let expiresAt = try reader.time()
        let credential = try reader.optional { try $0.hash() }
        let refusal: CredentialRefusal? = try reader.optional { try $0.choice() }
        let window = try reader.window()
        guard StoredRange.counts.contains(window.revision) else { throw DamagedBytes() }
        return LogState(
            window: window, expiresAt: expiresAt, credential: credential,
            credentialRefusal: refusal)
    }
}

extension ByteReader {
    fileprivate mutating func hash() throws -> SecretHash { SecretHash(bytes: Array(try raw(32))) }

    fileprivate mutating func time() throws -> Timestamp {
        let milliseconds = try signed()
        guard (-Self.limit...Self.limit).contains(milliseconds) else { throw DamagedBytes() }
        return Timestamp(milliseconds: milliseconds)
    }
}
