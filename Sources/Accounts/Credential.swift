import WaypostCore

/// The record of a credential. A client keeps the secret after a log-in, to open its next session at
/// the app root.
public struct Credential: Sendable, Equatable {
    /// The time for which an expired credential is kept, so that a client that sends it learns why
    /// it is invalid.
    public static let retention = Duration.seconds(30 * 86_400)
    /// The maximum number of valid credentials per account. A log-in revokes the surplus ones.
    public static let validLimit = 100
    /// The number of an account's newest revoked or expired credentials that are kept, each until its
    /// retention ends.
    public static let rememberedLimit = 100

    public let hash: SecretHash
    public let username: Username
    /// The id of the session whose log-in issued the credential; nil if unknown.
    public let session: String?
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    /// The time when the credential last opened a session or authenticated a request, to the minute;
    /// nil if never.
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

    /// Returns the hashes of the credentials to revoke before the account gets another one: those
    /// with the oldest last use. A credential that was never used counts by its creation time.
    /// - Parameter valid: the account's valid credentials.
    public static func surplus(of valid: [Credential]) -> [SecretHash] {
        guard valid.count >= validLimit else { return [] }
        let byUse = valid.sorted { one, other in
            let times = [one, other].map { $0.lastUsedAt ?? $0.createdAt }
            return times[0] == times[1] ? other.position.isAfter(one.position) : times[0] > times[1]
        }
        return byUse[(validLimit - 1)...].map(\.hash)
    }

    /// Returns the reason why the credential is invalid; nil if it is valid.
    public func refusal(at now: Timestamp) -> CredentialRefusal? {
        if isRevoked { return .revoked }
        return now < expiresAt ? nil : .expired
    }
}

/// The position of a credential in the list of an account's credentials.
public struct CredentialPosition: Sendable, Equatable {
    public let createdAt: Timestamp
    public let id: CredentialID

    public init(createdAt: Timestamp, id: CredentialID) {
        self.createdAt = createdAt
        self.id = id
    }

    /// Returns whether this position comes after `other` in the list. The newest credential is first.
    public func isAfter(_ other: CredentialPosition) -> Bool {
        (createdAt, id.description) < (other.createdAt, other.id.description)
    }
}

/// The reason why a credential is invalid. The raw values are those of `auth.reason` in the API.
public enum CredentialRefusal: String, Error, Sendable {
    case unknown = "credential-unknown"
    case expired = "credential-expired"
    case revoked = "credential-revoked"
}

/// The id of a credential: the first half of its hash, as 32 lower-case hexadecimal digits. The id is
/// not a secret, as nobody can derive the credential's 256 random bits from it.
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
