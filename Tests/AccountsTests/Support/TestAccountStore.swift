import Synchronization
import WaypostCore

@testable import Sessions

/// An account store that holds the values set by a test.
final class TestAccountStore: AccountStore {
    private let accounts = Mutex<[Username: Account]>([:])
    private let credentials = Mutex<[SecretHash: Credential]>([:])
    private let failure = Mutex<StorageError?>(nil)

    func insert(_ account: Account) {
        accounts.withLock { $0[account.username] = account }
    }

    func insert(_ credential: Credential) {
        credentials.withLock { $0[credential.hash] = credential }
    }

    func revoke(_ hash: SecretHash) {
        credentials.withLock { $0[hash]?.isRevoked = true }
    }

    func fail(_ error: StorageError) {
        failure.withLock { $0 = error }
    }

    func account(_ username: Username) throws(SessionError) -> Account? {
        if let failure = failure.withLock(\.self) { throw .storage(failure) }
        return accounts.withLock { $0[username] }
    }

    func credential(_ hash: SecretHash) throws(SessionError) -> Credential? {
        if let failure = failure.withLock(\.self) { throw .storage(failure) }
        return credentials.withLock { $0[hash] }
    }

    // `Accounts` does not call the following methods.
    func accounts(after: Username?, limit: Int) -> [Account] { [] }
    func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) -> [Credential] { [] }
}
