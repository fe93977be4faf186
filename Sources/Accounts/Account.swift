import Foundation
import WaypostCore

/// A user who can log in.
public struct Account: Sendable, Equatable {
    public let username: Username
    public var password: PasswordHash
    public let createdAt: Timestamp
    /// Whether the operator has disabled the account. A disabled account cannot log in and has no
    /// credentials.
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

/// Reads accounts and credentials. `SessionStore.commit` writes them, together with the change of a
/// session.
public protocol AccountStore: Sendable {
    func account(_ username: Username) async throws(StorageError) -> Account?

    /// Returns a credential, even if it has expired or is revoked; nil if it is unknown.
    func credential(_ hash: SecretHash) async throws(StorageError) -> Credential?
    func credential(_ id: CredentialID) async throws(StorageError) -> Credential?

    /// Returns a page of the accounts, in the order of their usernames.
    /// - Parameter after: the last username of the previous page; nil for the first page.
    func accounts(
        after: Username?, limit: Int
    ) async throws(StorageError) -> [Account]

    /// The counter of log-in failures for all processes that use the store; nil if only one process
    /// uses it.
    var logInFailures: (any LogInFailureStore)? { get }

    /// Returns a page of an account's credentials that are neither revoked nor expired at `now`, the
    /// newest first.
    /// - Parameter after: the last credential of the previous page; nil for the first page.
    func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(StorageError) -> [Credential]
}

extension AccountStore {
    public var logInFailures: (any LogInFailureStore)? { nil }
}

/// The reason why a request to an account failed.
public enum AccountError: Error, Sendable, Equatable {
    case invalidUsername(String)
    case invalidPassword(String)
    /// The password is too easy to guess.
    case weakPassword(String)
    case usernameTaken
    /// A log-in failed. The error does not say whether the username or the password is wrong, or
    /// the account is disabled.
    case wrongCredentials
    /// The password is wrong, in a request that a valid credential has authenticated.
    case wrongPassword
    case throttled(RateLimitExceeded)
    /// Sign-up is closed: only the operator creates accounts.
    case signUpClosed
    case accountNotFound
    /// Another request changed the account after it was read.
    case accountChanged
    case credentialNotFound
    /// The queue of passwords to hash is full, or there is no memory for a hash.
    case busy
    case storage(StorageError)
}

/// The name of an account: 3 to 64 letters, digits and `. _ - @`.
public struct Username: Sendable, Hashable {
    /// The name with the case of the sign-up, in Unicode form NFKC.
    public let text: String
    /// The form by which names are compared: NFKC in lower case.
    public let key: String

    /// Checks and normalizes a name.
    /// - Throws: `.invalidUsername` with the rule that the name breaks.
    public init(_ text: String) throws(AccountError) {
        let normal = text.precomposedStringWithCompatibilityMapping
        // The limit counts Unicode scalars because a character may consist of any number of them.
        let scalars = normal.unicodeScalars
        guard (3...64).contains(scalars.count) else {
            throw .invalidUsername("expected 3 to 64 characters")
        }
        guard scalars.allSatisfy(Self.isAllowed) else {
            throw .invalidUsername("expected only letters, digits and . _ - @")
        }
        self.text = normal
        // Lower-casing can undo the composition, so the name is composed again.
        key = normal.lowercased().precomposedStringWithCompatibilityMapping
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
            || "._-@".unicodeScalars.contains(scalar)
    }

    public static func == (one: Username, other: Username) -> Bool { one.key == other.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
