import WaypostCore

/// A credential that a client keeps after a log-in, to open its next session at the app root.
public struct Credential: Sendable, Equatable {
    /// How long one that has expired is kept, so that whoever shows it learns why it is no good.
    public static let retention = Duration.seconds(30 * 86_400)
    /// How many good ones an account has: a log-in revokes those that are too many.
    public static let goodLimit = 100
    /// How many of an account that are revoked or have expired are kept, the newest, each until its
    /// retention ends.
    public static let rememberedLimit = 100

    public let hash: SecretHash
    public let username: Username
    /// The id of the session whose log-in issued it; nil if that is not known.
    public let session: String?
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    /// When it opened a session or an account last, to the minute; nil if it never did.
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

    /// The credentials that are to be revoked before the account gets another one: those that were used
    /// longest ago, or issued, where they never were used.
    /// - Parameter good: the account's good credentials.
    public static func surplus(of good: [Credential]) -> [SecretHash] {
        guard good.count >= goodLimit else { return [] }
        let byUse = good.sorted { one, other in
            let times = [one, other].map { $0.lastUsedAt ?? $0.createdAt }
            return times[0] == times[1] ? other.position.isAfter(one.position) : times[0] > times[1]
        }
        return byUse[(goodLimit - 1)...].map(\.hash)
    }

    /// Why it opens nothing; nil if it is good.
    public func refusal(at now: Timestamp) -> CredentialRefusal? {
        if isRevoked { return .revoked }
        return now < expiresAt ? nil : .expired
    }
}

/// The position of a credential among those of its account.
public struct CredentialPosition: Sendable, Equatable {
    public let createdAt: Timestamp
    public let id: CredentialID

    public init(createdAt: Timestamp, id: CredentialID) {
        self.createdAt = createdAt
        self.id = id
    }

    /// The newest come first.
    public func isAfter(_ other: CredentialPosition) -> Bool {
        (createdAt, id.description) < (other.createdAt, other.id.description)
    }
}

/// Why a credential opens nothing. The words are those of `auth.reason`.
public enum CredentialRefusal: String, Error, Sendable {
    case unknown = "credential-unknown"
    case expired = "credential-expired"
    case revoked = "credential-revoked"
}

/// Names a credential; not a secret. The first half of the hash that is kept of it, in 32 lower-case
/// hexadecimal digits: 128 bits of a hash of 256 random ones tell nothing of them.
public struct CredentialID: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(of hash: SecretHash) {
        description = hash.bytes.prefix(16).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    /// - Returns: nil if no credential could be named so.
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
