import WaypostCore

/// The stored record of a credential. A credential is a secret token that a client gets at log-in.
/// The client uses it to open further sessions as the same user.
public struct Credential: Sendable, Equatable {
    /// The time for which a credential stays in the store after `expiresAt`, unless a log-in
    /// deletes it earlier (see `rememberedLimit`). For a revoked credential, this time also begins
    /// at `expiresAt`. A client that sends the credential before its deletion learns why it is
    /// invalid.
    public static let retention = Duration.seconds(30 * 86_400)
    /// The maximum number of valid credentials per account. A log-in beyond this number revokes the
    /// credentials that have not been used for the longest time.
    public static let validLimit = 100
    /// The maximum number of invalid credentials that a log-in keeps for its account. A credential
    /// is invalid if it is revoked or expired. If the account has more of them, the log-in deletes
    /// the ones that were created first. SQLite and PostgreSQL stores delete at most 1,000 of them
    /// in one log-in.
    public static let rememberedLimit = 100

    public let hash: SecretHash
    public let username: Username
    /// The id of the session in which the user logged in to get the credential; nil if unknown.
    public let session: String?
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    /// The time when the credential was last used, to open a session or to authenticate a request;
    /// nil if it was never used. A request less than one minute after this time may leave
    /// it unchanged.
    public var lastUsedAt: Timestamp?
    public var isRevoked: Bool

    public init(
        hash: SecretHash, username: Username, session: String?, createdAt: Timestamp,
        expiresAt: Timestamp, lastUsedAt: Timestamp? = nil, isRevoked: Bool = false
    ) {
        self.hash = hash
        self.username = username
        self.session = session
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
        self.isRevoked = isRevoked
    }

    public var id: CredentialID { CredentialID(of: hash) }
    public var position: CredentialPosition { CredentialPosition(createdAt: createdAt, id: id) }

    /// Returns the hashes of the credentials to revoke before the account gets a new one, so that
    /// the account stays within `validLimit`. These credentials have not been used for the longest
    /// time. For a credential that was never used, the time of its creation counts.
    /// - Parameter valid: all valid credentials of the account.
    public static func surplus(of valid: [Credential]) -> [SecretHash] {
        guard valid.count >= validLimit else { return [] }
        let byUse = valid.sorted { one, other in
            let times = [one, other].map { $0.lastUsedAt ?? $0.createdAt }
            return times[0] == times[1] ? other.position.isAfter(one.position) : times[0] > times[1]
        }
        return byUse[(validLimit - 1)...].map(\.hash)
    }

    /// Returns the reason why the credential is invalid at the time `now`; nil if it is valid.
    public func refusal(at now: Timestamp) -> CredentialRefusal? {
        if isRevoked { return .revoked }
        return now < expiresAt ? nil : .expired
    }
}

/// The position of an item in a list of an account, such as that of its credentials: newest first.
public struct ListPosition<ID: Sendable & Equatable & CustomStringConvertible>: Sendable, Equatable
{
    public let createdAt: Timestamp
    public let id: ID

    public init(createdAt: Timestamp, id: ID) {
        self.createdAt = createdAt
        self.id = id
    }

    /// Returns whether this position comes after `other` in the list.
    public func isAfter(_ other: ListPosition) -> Bool {
        (createdAt, id.description) < (other.createdAt, other.id.description)
    }
}

public typealias CredentialPosition = ListPosition<CredentialID>
public typealias SessionPosition = ListPosition<SessionID>

/// The reason why a credential is invalid. The API returns the raw value in `auth.reason`.
public enum CredentialRefusal: String, Error, Sendable {
    case unknown = "credential-unknown"
    case expired = "credential-expired"
    case revoked = "credential-revoked"
}

/// The id of a credential: the first half of its hash, as 32 lower-case hexadecimal digits. The id
/// is not a secret, because nobody can derive the credential's 256 random bits from it.
public struct CredentialID: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(of hash: SecretHash) {
        description = hexadecimal(hash.bytes.prefix(16))
    }

    /// Parses an id.
    /// - Returns: nil if the text is not 32 lower-case hexadecimal digits.
    public init?(_ text: String) {
        guard text.utf8.count == 32, text.utf8.allSatisfy(isHexadecimalDigit) else { return nil }
        description = text
    }

    /// The first 16 bytes of the credential's hash.
    public var bytes: [UInt8] {
        let digits = Array(description.utf8)
        return (0..<16).map { index in
            let byte = String(decoding: digits[2 * index..<2 * index + 2], as: UTF8.self)
            return UInt8(byte, radix: 16) ?? 0
        }
    }
}
