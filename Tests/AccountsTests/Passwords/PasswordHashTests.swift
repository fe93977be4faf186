import Testing

@testable import Sessions

@Suite("Password hashes")
struct PasswordHashTests {
    private let password = Array("correct horse".utf8)

    @Test("The service's password hashes use argon2id with 64 MiB and two passes")
    func interactive() throws {
        let hash = try #require(PasswordHash.make(of: password, cost: .interactive))
        #expect(hash.text.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$"))
        #expect(hash.verify(password))
    }

    @Test(
        "A password hash verifies only the same bytes",
        arguments: [
            "", "correct hors", "correct horse ", "Correct horse", "correct horse\0", "\0",
        ])
    func verify(other: String) throws {
        let hash = try #require(PasswordHash.make(of: password, cost: .least))
        #expect(hash.verify(password))
        #expect(!hash.verify(Array(other.utf8)))
    }

    @Test("Each byte of a password counts in its hash, including NUL", arguments: [0, 1, 8, 256])
    func everyByte(count: Int) throws {
        let password = [UInt8](repeating: 0, count: count) + [255]
        let hash = try #require(PasswordHash.make(of: password, cost: .least))
        #expect(hash.verify(password))
        #expect(!hash.verify(password.dropLast()))
        #expect(!hash.verify(password.dropLast() + [254]))
    }

    @Test("Each hash of a password is different and does not contain the password")
    func salt() throws {
        let one = try #require(PasswordHash.make(of: password, cost: .least))
        let other = try #require(PasswordHash.make(of: password, cost: .least))
        #expect(one.text != other.text)
        #expect(!one.text.contains("horse"))
    }

    @Test("A cost beyond all memory gives no password hash")
    func noMemory() {
        let cost = PasswordHash.Cost(operations: 1, memory: .max)
        #expect(PasswordHash.make(of: password, cost: cost) == nil)
    }

    @Test("A stored hash verifies its password")
    func stored() {
        let hash = PasswordHash(
            text: """
                $argon2id$v=19$m=8,t=1,p=1$sVgnRlsQ0ETuhhW1DxFwaQ$yjzbZWwmzI\
                XaWPiVJkzC2Cn6vt4YThKZZNey/z0ol0w
                """)
        #expect(hash.verify(password))
        #expect(!hash.verify(password + [0]))
    }

    @Test(
        "A damaged hash verifies no password",
        arguments: [
            "", "$", "$$$$$$", "$argon2id$v=19$m=8,t=1,p=1$$", "$argon2id$v=19$m=8,t=1,p=1",
            "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$A",
            "$argon2id$v=19$m=99999999999,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
        ])
    func damaged(text: String) {
        #expect(!PasswordHash(text: text).verify(password))
    }
}
