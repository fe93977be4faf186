import NavigationRules
import WaypostCore

/// The complete state of a session except its lifecycle events. The store saves this state.
///
/// A state never changes. The type is a class so that the session, its readers and a memory
/// store can share one instance.
public final class SessionState: Sendable {
    public let id: SessionID
    /// The name that a client has given the session; nil if none.
    public var name: String? { names.first }
    /// An array with the name, or an empty array if there is none. An empty array takes half the
    /// memory of an optional name.
    private let names: [String]
    public let tokenHash: SecretHash
    public let createdAt: Timestamp
    /// The time when the session expires. Each change moves this time forward.
    public let expiresAt: Timestamp
    public let window: Window
    /// The hash of the credential that the session is logged in with; nil if there is none. A
    /// log-out revokes the credential.
    public let credential: SecretHash?
    /// The reason why the session is not logged in: the credential in the request that opened the
    /// session was invalid, or the session's credential became invalid later. Nil in all other
    /// cases.
    public let credentialRefusal: CredentialRefusal?

    convenience init(
        id: SessionID, name: String? = nil, tokenHash: SecretHash, createdAt: Timestamp,
        expiresAt: Timestamp, window: Window, credential: SecretHash?,
        credentialRefusal: CredentialRefusal?
    ) {
        self.init(
            id: id, names: name.map { [$0] } ?? [], tokenHash: tokenHash, createdAt: createdAt,
            expiresAt: expiresAt, window: window, credential: credential,
            credentialRefusal: credentialRefusal)
    }

    private init(
        id: SessionID, names: [String], tokenHash: SecretHash, createdAt: Timestamp,
        expiresAt: Timestamp, window: Window, credential: SecretHash?,
        credentialRefusal: CredentialRefusal?
    ) {
        self.id = id
        self.names = names
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.window = window
        self.credential = credential
        self.credentialRefusal = credentialRefusal
    }

    /// The username of the account that the session is logged in to; nil if there is none.
    public var username: Username? {
        guard credential != nil, let name = window.auth.username else { return nil }
        return try? Username(name)
    }

    func with(_ window: Window, expiresAt: Timestamp) -> SessionState {
        SessionState(
            id: id, names: names, tokenHash: tokenHash, createdAt: createdAt, expiresAt: expiresAt,
            window: window, credential: credential, credentialRefusal: credentialRefusal)
    }

    /// - Parameter time: the new time when the session expires, if it is later than the present one.
    func with(name: String?, expiresAt time: Timestamp) -> SessionState {
        SessionState(
            id: id, name: name, tokenHash: tokenHash, createdAt: createdAt,
            expiresAt: max(expiresAt, time), window: window, credential: credential,
            credentialRefusal: credentialRefusal)
    }

    func with(
        _ credential: SecretHash?, _ refusal: CredentialRefusal? = nil
    ) -> SessionState {
        SessionState(
            id: id, names: names, tokenHash: tokenHash, createdAt: createdAt, expiresAt: expiresAt,
            window: window, credential: credential, credentialRefusal: refusal)
    }
}
