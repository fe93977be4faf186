import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Weak passwords", .timeLimit(.minutes(10)))
struct WeakPasswordTests {
    private static let common = SessionError.weakPassword(
        "one of the 10,000 most common passwords: choose another")
    private static let same = SessionError.weakPassword(
        "the same as the username: choose another")

    private let accounts: Accounts
    private let account: Account

    init() throws {
        // This queue has no places: a password that is sent to be hashed fails as busy.
        accounts = Accounts(
            store: TestAccountStore(), hasher: try .busy(),
            environment: TestEnvironment().environment)
        account = Account(
            username: try Username("ada.lovelace"), password: PasswordHash(text: ""),
            createdAt: Timestamp(milliseconds: 0))
    }

    /// Returns the errors of the two ways to set a password.
    private func refusals(of password: String, for username: String) async -> [SessionError?] {
        var refusals: [SessionError?] = []
        do throws(SessionError) {
            _ = try await accounts.signUp(username, password)
            refusals.append(nil)
        } catch {
            refusals.append(error)
        }
        do throws(SessionError) {
            let account = Account(
                username: try Username(username), password: PasswordHash(text: ""),
                createdAt: Timestamp(milliseconds: 0))
            _ = try await accounts.replacePassword(of: account, with: password)
            refusals.append(nil)
        } catch {
            refusals.append(error)
        }
        return refusals
    }

    @Test(
        "A common password is rejected with the reason, before it is hashed",
        arguments: ["password", "Password1", "12345678", "QWERTYUIOP", "iloveyou"])
    func common(password: String) async {
        #expect(await refusals(of: password, for: "ada") == [Self.common, Self.common])
    }

    @Test(
        "A password equal to the username in any case and Unicode form is rejected",
        arguments: [
            ("ada.lovelace", "ada.lovelace"), ("ada.lovelace", "ADA.Lovelace"),
            ("Ada.Lovelace", "ada.lovelace"), ("ﬁnn.mertens", "finn.mertens"),
            ("finn.mertens", "ﬁnn.mertens"), ("renée-11", "rene\u{301}e-11"),
            ("12345abc", "１２３４５ａｂｃ"), ("ada@example.org", "ADA@EXAMPLE.ORG"),
        ])
    func username(username: String, password: String) async {
        #expect(await refusals(of: password, for: username) == [Self.same, Self.same])
    }

    @Test(
        "Any other password of 8 bytes is accepted: no digits, capitals or signs are required",
        arguments: ["ada.lovelace2", "lovelace.ada", "        ", "zzzzyyyy", "ж\u{301}ж\u{301}жж"])
    func others(password: String) async {
        // The error shows that the password passed the check and was sent to the hasher.
        #expect(
            await refusals(of: password, for: "ada.lovelace") == [.passwordsBusy, .passwordsBusy])
    }

    @Test(
        "The size of a password is checked before anything else", arguments: ["", "ada", "1234567"])
    func size(password: String) async {
        let refusal = SessionError.invalidPassword("expected 8 to 256 bytes")
        #expect(await refusals(of: password, for: "ada") == [refusal, refusal])
    }
}
