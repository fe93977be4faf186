import TestSupport
import WaypostCore

@testable import Sessions

/// A suite of tests of the directory of accounts.
protocol AccountDirectorySuite {
    var fixture: Fixture { get }
}

extension AccountDirectorySuite {
    var accounts: AccountDirectory { fixture.accountDirectory }

    func account(_ username: String) async throws -> Account? {
        try await fixture.store.base.account(try Username(username))
    }

    func credentials(of username: String) async throws -> [Credential] {
        try await fixture.store.base.credentials(
            of: try Username(username), at: fixture.clock.now, after: nil, limit: 100)
    }

    func signedUp(
        _ username: String = "Ada"
    ) async throws -> (holder: AccountDirectory.AuthenticatedAccount, credential: Secret) {
        try await fixture.signUp(username, "countess!")
        let credential = try await fixture.logIn(username, "countess!").credential
        return (try await fixture.holder(of: credential), credential)
    }

    func attempt(_ request: String = "request", key: String = "key") -> IdempotentRequest<
        Void
    > {
        IdempotentRequest(key: key, token: "wpc_1", request: request, requestSize: 100) { _, _ in
            Array("done".utf8)
        }
    }

    func canLogIn(_ username: String, _ password: String) async -> Bool {
        (try? await fixture.accounts.logIn(username, password, from: nil)) != nil
    }
}
