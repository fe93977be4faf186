import Foundation
import WaypostCore

/// A user who can log in.
public struct Account: Sendable, Equatable {
    public let username: Username
    public var password: PasswordHash
    public let createdAt: Timestamp
    /// Nobody enters a disabled account, and it has no credentials.
    public var isDisabled: Bool

    public init(
        username: Username, password: PasswordHash, createdAt: Timestamp, isDisabled: Bool = false
    ) {
        self.username = username
        self.password = password
        self.createdAt = createdAt
        self.isDisabled = isDisabled
    }
}

/// Looks accounts and credentials up. They are written together with the change of the session that
/// they belong to.
public protocol AccountStore: Sendable {
    func account(_ username: Username) async throws(StorageError) -> Account?

    /// Also one that has expired or is revoked.
    func credential(_ hash: SecretHash) async throws(StorageError) -> Credential?
    func credential(_ id: CredentialID) async throws(StorageError) -> Credential?

    /// Returns accounts in the order of their names.
    /// - Parameter after: the name before the first that is wanted; nil for the first of all.
    func accounts(
        after: Username?, limit: Int
    ) async throws(StorageError) -> [Account]

    /// Returns the credentials of an account that are neither revoked nor expired, newest first.
    /// - Parameter after: the one before the first that is wanted; nil for the newest.
    func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(StorageError) -> [Credential]
}

/// Why an account could not be made, entered or changed. Never says which of username and password
/// is wrong, nor that an account is disabled.
public enum AccountError: Error, Sendable, Equatable {
    case invalidUsername(String)
    case invalidPassword(String)
    /// Too easily guessed.
    case weakPassword(String)
    case usernameTaken
    case wrongCredentials
    /// The password is wrong, and its account is logged in already.
    case wrongPassword
    case throttled(RateLimitExceeded)
    /// Only the operator makes accounts.
    case signUpClosed
    case accountNotFound
    /// Somebody else changed it in the meantime.
    case accountChanged
    case credentialNotFound
    /// Too many passwords are being hashed.
    case busy
    case storage(StorageError)
}

/// A name that an account goes by: 3 to 64 letters, digits and `. _ - @`.
public struct Username: Sendable, Hashable {
    /// The name as it was signed up.
    public let text: String
    /// Names compare by this: NFKC, without regard to case.
    public let key: String

    /// - Throws: `.invalidUsername` with the rule that is broken.
    public init(_ text: String) throws(AccountError) {
        let normal = text.precomposedStringWithCompatibilityMapping
        // Scalars, not what looks like one character: a letter may carry any number of marks.
        let scalars = normal.unicodeScalars
        guard (3...64).contains(scalars.count) else {
            throw .invalidUsername("expected 3 to 64 characters")
        }
        guard scalars.allSatisfy(Self.isAllowed) else {
            throw .invalidUsername("expected only letters, digits and . _ - @")
        }
        self.text = normal
        // Case folding can undo the composition.
        key = normal.lowercased().precomposedStringWithCompatibilityMapping
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
            || "._-@".unicodeScalars.contains(scalar)
    }

    public static func == (one: Username, other: Username) -> Bool { one.key == other.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
