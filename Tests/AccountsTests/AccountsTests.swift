import Testing

@testable import Accounts

@Suite("Accounts", .timeLimit(.minutes(3)))
struct AccountsTests {
    private let accounts: Accounts

    init() throws {
        accounts = Accounts(hasher: try .cheap(), environment: TestEnvironment().environment)
    }

    // MARK: Signing up

    @Test("Who has signed up can log in, and has the name as it was signed up")
    func signUp() async throws {
        #expect(try await accounts.signUp("Ada", "countess!").text == "Ada")
        #expect(try await accounts.logIn("Ada", "countess!").text == "Ada")
        #expect(try await accounts.logIn("aDA", "countess!").text == "Ada")
    }

    @Test(
        "A password has 8 to 256 bytes in UTF-8",
        arguments: [
            ("", false), ("seven77", false), ("eight888", true), ("ééé7", false), ("éééé", true),
            (String(repeating: "x", count: 256), true), (String(repeating: "x", count: 257), false),
            (String(repeating: "é", count: 128), true), (String(repeating: "é", count: 129), false),
        ])
    func passwordSize(password: String, isTaken: Bool) async throws {
        do throws(AccountError) {
            _ = try await accounts.signUp("ada", password)
            #expect(isTaken)
        } catch {
            #expect(!isTaken)
            #expect(error == .invalidPassword("expected 8 to 256 bytes"))
        }
    }

    @Test("A name that is none is refused before all else")
    func invalidUsername() async {
        await #expect(throws: AccountError.invalidUsername("expected 3 to 64 characters")) {
            try await accounts.signUp("ab", "short")
        }
    }

    @Test("A name is taken in any case, and the first password stays")
    func taken() async throws {
        _ = try await accounts.signUp("ada", "first password")
        await #expect(throws: AccountError.usernameTaken) {
            try await accounts.signUp("ADA", "other password")
        }
        #expect(try await accounts.logIn("ada", "first password").text == "ada")
        await #expect(throws: AccountError.wrongCredentials) {
            try await accounts.logIn("ada", "other password")
        }
    }

    @Test("Of many that sign up with one name at once, exactly one wins")
    func race() async throws {
        let winners = await withTaskGroup(of: String?.self) { group in
            for number in 0..<40 {
                group.addTask { [accounts] in
                    let name = number.isMultiple(of: 2) ? "ada" : "ADA"
                    do throws(AccountError) {
                        _ = try await accounts.signUp(name, "password \(number)")
                        return "password \(number)"
                    } catch {
                        #expect(error == .usernameTaken)
                        return nil
                    }
                }
            }
            return await group.reduce(into: [String]()) { $0 += [$1].compactMap(\.self) }
        }
        #expect(winners.count == 1)
        let winner = try #require(winners.first)
        #expect(try await accounts.logIn("ada", winner).text.lowercased() == "ada")
    }

    // MARK: Logging in

    @Test(
        "A wrong password, an unknown name and one that cannot be are refused alike",
        arguments: [
            ("ada", "wrong password"), ("ada", ""), ("ada", "countess! "), ("bob", "countess!"),
            ("a", "countess!"), ("a b c", "countess!"), ("", ""),
            ("ada", String(repeating: "x", count: 1_000_000)),
        ])
    func wrong(username: String, password: String) async throws {
        _ = try await accounts.signUp("ada", "countess!")
        await #expect(throws: AccountError.wrongCredentials) {
            try await accounts.logIn(username, password)
        }
    }

    @Test("A password that only begins like the right one is wrong, however long it is")
    func longPassword() async throws {
        let password = String(repeating: "x", count: 256)
        _ = try await accounts.signUp("ada", password)
        await #expect(throws: AccountError.wrongCredentials) {
            try await accounts.logIn("ada", password + "x")
        }
    }

    @Test("An empty password opens no account that does not exist")
    func decoy() async {
        await #expect(throws: AccountError.wrongCredentials) {
            try await accounts.logIn("nobody", "")
        }
    }

    // MARK: Being busy

    @Test("Where no password can be hashed, both are refused as busy, and no name is taken")
    func busy() async throws {
        let accounts = Accounts(
            hasher: try .busy(), environment: TestEnvironment().environment)
        for _ in 0..<2 {
            await #expect(throws: AccountError.busy) {
                try await accounts.signUp("ada", "countess!")
            }
        }
        // An unknown name is not told from a known one by being faster.
        for name in ["ada", "nobody", "?"] {
            await #expect(throws: AccountError.busy) { try await accounts.logIn(name, "countess!") }
        }
    }
}
