import Accounts
import Navigation
import Sessions
import WaypostCore

/// A session encoded for its row in a database. The type is a class, so that passing a value copies
/// only a reference.
package final class SessionRow: Sendable {
    package let id: SessionID
    package let name: String?
    package let tokenHash: SecretHash
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    package let revision: Int
    /// The summary of the visible view controller; nil if the session is not logged in to an
    /// account.
    package let summary: [UInt8]?
    package let credential: SecretHash?
    package let credentialRefusal: CredentialRefusal?

    package init(_ session: SessionContent) {
        id = session.id
        name = session.name
        tokenHash = session.tokenHash
        createdAt = session.createdAt
        expiresAt = session.expiresAt
        revision = session.revision
        summary = session.summary?.encodedSummary(revision: session.revision)
        credential = session.credential
        credentialRefusal = session.credentialRefusal
    }
}
