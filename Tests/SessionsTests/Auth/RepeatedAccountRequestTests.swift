import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Account directory: requests that are sent again", .everyStore, .timeLimit(.minutes(10)))
struct RepeatedAccountRequestTests: AccountDirectorySuite {
    let fixture: Fixture

    init() throws { fixture = try Fixture(.withLogin()) }

    @Test("A repeated account request returns the first response, even after the account's removal")
    func replay() async throws {
        let (holder, _) = try await signedUp()
        let other = try await fixture.logIn("ada", "countess!").credential
        let id = try await #require(fixture.store.base.credential(other.hash)).id
        let changes: [(String, (IdempotentRequest<Void>) async throws -> IdempotentResult<Void>)] =
            [
                ("revoke", { try await accounts.revoke(id, of: holder, idempotency: $0) }),
                (
                    "change",
                    {
                        try await accounts.changePassword(
                            of: holder, from: "countess!", to: "analytical", client: nil,
                            idempotency: $0)
                    }
                ),
                (
                    "remove",
                    {
                        try await accounts.remove(
                            holder, password: "analytical", client: nil, idempotency: $0)
                    }
                ),
            ]
        for (name, change) in changes {
            let attempt = attempt(name, key: name)
            _ = try await change(attempt).value
            let writes = fixture.store.count(.other)
            for _ in 0..<3 {
                #expect(try await change(attempt).replay == Array("done".utf8))
                #expect(try await accounts.response(to: attempt) == Array("done".utf8))
            }
            #expect(fixture.store.count(.other) == writes)
            let reused = self.attempt("another request", key: name)
            await #expect(throws: SessionError.idempotencyKeyReused) { try await change(reused) }
            await #expect(throws: SessionError.idempotencyKeyReused) {
                try await accounts.response(to: reused)
            }
        }
        #expect(try await account("ada") == nil)
    }

    @Test("One of many concurrent requests with one key is carried out; all get its response")
    func replaysAtOnce() async throws {
        let (holder, _) = try await signedUp()
        let attempt = attempt()
        let writes = fixture.store.count(.other)
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { [accounts] in
                    let answered = try await accounts.changePassword(
                        of: holder, from: "countess!", to: "analytical", client: nil,
                        idempotency: attempt)
                    return if case .fresh = answered { true } else { false }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(made == 1)
        #expect(fixture.store.count(.other) == writes + 1)
    }

    @Test("A rejected account request is not recorded and can be repeated")
    func refusalIsNotKept() async throws {
        let (holder, _) = try await signedUp()
        let attempt = attempt()
        await #expect(throws: SessionError.wrongPassword) {
            try await accounts.remove(
                holder, password: "countess?", client: nil, idempotency: attempt)
        }
        #expect(try await accounts.response(to: attempt) == nil)
        _ = try await accounts.remove(
            holder, password: "countess!", client: nil, idempotency: attempt
        ).value
    }
}
