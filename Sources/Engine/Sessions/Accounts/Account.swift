import Foundation
import WaypostCore

/// A user who can log in.
public struct Account: Sendable, Equatable {
    public let username: Username
    public var password: PasswordHash
    public let createdAt: Timestamp
    /// Whether the operator has disabled the account. Nobody can log in to a disabled account, and
    /// all of its credentials have been revoked.
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

/// Reads accounts and credentials from the store. `SessionStore.commit` writes them, together with
/// the session that a request changes, if any.
public protocol AccountStore: Sendable {
    func account(_ username: Username) async throws(SessionError) -> Account?

    /// Returns the credential whose token has this hash; nil if the store has none. The credential
    /// may have expired or been revoked.
    func credential(_ hash: SecretHash) async throws(SessionError) -> Credential?

    /// Returns the next page of accounts in the order of their usernames, with `limit` accounts at
    /// most.
    /// - Parameter after: the last username of the previous page; nil for the first page.
    func accounts(
        after: Username?, limit: Int
    ) async throws(SessionError) -> [Account]

    /// The counter of failed log-ins, shared by all processes that use the store; nil if only one
    /// process uses the store.
    var logInFailures: (any LogInFailureStore)? { get }

    /// Returns the next page of an account's valid credentials, newest first, with `limit`
    /// credentials at most. A credential is valid if it is neither revoked nor expired at `now`.
    /// - Parameter after: the last credential of the previous page; nil for the first page.
    func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(SessionError) -> [Credential]
}

extension AccountStore {
    public var logInFailures: (any LogInFailureStore)? { nil }
}

/// The name of an account. It has 3 to 64 characters, counted as Unicode scalars. Each
/// character is a letter (a character with the Unicode property Alphabetic), a decimal digit or one
/// of `. _ - @`.
public struct Username: Sendable, Hashable {
    package static let maximumLength = 64

    /// The name in Unicode form NFKC, with upper and lower case unchanged.
    public let text: String
    /// The form in which two names are compared: Unicode form NFKC in lower case. The form has to stay
    /// as it is, since stores keep accounts under it. It is therefore no case folding, which would
    /// also make `σ` and `ς` equal.
    public let key: String

    /// Checks and normalizes a name.
    /// - Throws: `.invalidUsername` with the rule that the name breaks.
    public init(_ text: String) throws(SessionError) {
        let normal = text.precomposedStringWithCompatibilityMapping
        // The limit counts Unicode scalars because a character may consist of any number of them.
        let scalars = normal.unicodeScalars
        guard (3...Self.maximumLength).contains(scalars.count) else {
            throw .invalidUsername("expected 3 to \(Self.maximumLength) characters")
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
