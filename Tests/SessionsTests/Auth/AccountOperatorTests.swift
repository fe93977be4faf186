import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Account directory: for the operator", .everyStore, .timeLimit(.minutes(10)))
struct AccountOperatorTests: AccountDirectorySuite {
    let fixture: Fixture

    init() throws { fixture = try Fixture(.withLogin()) }

    @Test("The operator creates, lists, disables, enables and removes accounts")
    func operate() async throws {
        for username in ["carol", "Ada", "bob"] { try await accounts.add(username, "countess!") }
        let listed = try await accounts.list(after: nil, limit: 10)
        #expect(listed.map(\.username.text) == ["Ada", "bob", "carol"])
        #expect(
            try await accounts.list(after: "ADA", limit: 1).map(\.username.text) == ["bob"])
        try await accounts.setDisabled("ADA", true)
        #expect(try await account("ada")?.isDisabled == true)
        #expect(await !canLogIn("ada", "countess!"))
        try await accounts.setDisabled("ada", false)
        #expect(await canLogIn("ada", "countess!"))
        try await accounts.resetPassword("ada", "analytical")
        #expect(await canLogIn("ada", "analytical"))
        try await accounts.remove("ADA")
        #expect(try await account("ada") == nil)
    }

    @Test("A disabled account stays disabled after a password reset")
    func resetOfDisabled() async throws {
        try await accounts.add("ada", "countess!")
        try await accounts.setDisabled("ada", true)
        try await accounts.resetPassword("ada", "analytical")
        #expect(await !canLogIn("ada", "analytical"))
        try await accounts.setDisabled("ada", false)
        #expect(await canLogIn("ada", "analytical"))
    }

    @Test("Invalid requests of the operator are rejected with the reason")
    func refused() async throws {
        try await accounts.add("ada", "countess!")
        let before = try await account("ada")
        let cases: [(SessionError, () async throws -> Void)] = [
            (.usernameTaken, { try await accounts.add("ADA", "countess!") }),
            (.accountNotFound, { try await accounts.remove("bob") }),
            (.accountNotFound, { try await accounts.setDisabled("bob", true) }),
            (.accountNotFound, { try await accounts.resetPassword("bob", "countess!") }),
            (
                .invalidUsername("expected 3 to 64 characters"),
                { try await accounts.remove("b") }
            ),
            (
                .invalidUsername("expected 3 to 64 characters"),
                { _ = try await accounts.list(after: "b", limit: 1) }
            ),
            (
                .invalidPassword("expected 8 to 256 bytes"),
                { try await accounts.resetPassword("ada", "short") }
            ),
            (
                .weakPassword("one of the 10,000 most common passwords: choose another"),
                { try await accounts.add("carol", "password") }
            ),
        ]
        for (error, run) in cases {
            await #expect(throws: error) { try await run() }
        }
        #expect(try await account("ada") == before)
        #expect(try await accounts.list(after: nil, limit: 10).count == 1)
    }
}
