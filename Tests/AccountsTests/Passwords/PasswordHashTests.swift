import Testing

@testable import Accounts

@Suite("Password hashes")
struct PasswordHashTests {
    private let password = Array("correct horse".utf8)

    @Test("The service's own cost is argon2id with 64 MiB and two passes")
    func interactive() throws {
        let hash = try #require(PasswordHash.make(of: password, cost: .interactive))
        #expect(hash.text.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$"))
        #expect(hash.verify(password))
    }

    @Test(
        "Only the same bytes verify",
        arguments: [
            "", "correct hors", "correct horse ", "Correct horse", "correct horse\0", "\0",
        ])
    func verify(other: String) throws {
        let hash = try #require(PasswordHash.make(of: password, cost: .least))
        #expect(hash.verify(password))
        #expect(!hash.verify(Array(other.utf8)))
    }

    @Test("Every byte counts, NUL included", arguments: [0, 1, 8, 256])
    func everyByte(count: Int) throws {
        let password = [UInt8](repeating: 0, count: count) + [255]
        let hash = try #require(PasswordHash.make(of: password, cost: .least))
        #expect(hash.verify(password))
        #expect(!hash.verify(password.dropLast()))
        #expect(!hash.verify(password.dropLast() + [254]))
    }

    @Test("The same password has another hash each time, which does not show it")
    func salt() throws {
        let one = try #require(PasswordHash.make(of: password, cost: .least))
        let other = try #require(PasswordHash.make(of: password, cost: .least))
        #expect(one.text != other.text)
        #expect(!one.text.contains("horse"))
    }

    @Test("A cost that no memory can pay gives no hash")
    func noMemory() {
        let cost = PasswordHash.Cost(operations: 1, memory: .max)
        #expect(PasswordHash.make(of: password, cost: cost) == nil)
    }
}
