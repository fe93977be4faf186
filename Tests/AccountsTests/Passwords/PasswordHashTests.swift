import Foundation
import Testing

@testable import Accounts

@Suite("Password hashes")
struct PasswordHashTests {
    private let password = Array("correct horse".utf8)

    @Test("The service's password hashes use argon2id with 64 MiB and two passes")
    func interactive() throws {
        let hash = try #require(PasswordHash.make(of: password, cost: .interactive))
        #expect(hash.text.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$"))
        #expect(hash.verify(password) == true)
    }

    @Test(
        "A password hash verifies only the same bytes",
        arguments: [
            "", "correct hors", "correct horse ", "Correct horse", "correct horse\0", "\0",
        ])
    func verify(other: String) throws {
        let hash = try #require(PasswordHash.make(of: password, cost: .least))
        #expect(hash.verify(password) == true)
        #expect(hash.verify(Array(other.utf8)) == false)
    }

    @Test("Each byte of a password counts in its hash, including NUL", arguments: [0, 1, 8, 256])
    func everyByte(count: Int) throws {
        let password = [UInt8](repeating: 0, count: count) + [255]
        let hash = try #require(PasswordHash.make(of: password, cost: .least))
        #expect(hash.verify(password) == true)
        #expect(hash.verify(password.dropLast()) == false)
        #expect(hash.verify(password.dropLast() + [254]) == false)
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

    @Test("A hash made by libsodium verifies like with libsodium")
    func parts() throws {
        for size in [8, 16, 256] {
            let password = [UInt8](repeating: 7, count: size)
            let cost = PasswordHash.Cost(operations: 2, memory: 16_384)
            let hash = try #require(PasswordHash.make(of: password, cost: cost))
            #expect(PasswordHashParts(hash.text) != nil)
            #expect(hash.verify(password) == true)
        }
    }

    @Test(
        "A damaged hash verifies no password",
        arguments: [
            "", "$", "$$$$$$", "$argon2id$v=19$m=8,t=1,p=1$$", "$argon2id$v=19$m=8,t=1,p=1",
            "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$A",
            "$argon2id$v=19$m=99999999999,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
        ])
    func damaged(text: String) {
        #expect(PasswordHashParts(text) == nil)
        #expect(PasswordHash(text: text).verify(password) == false)
    }

    @Test("Without memory for a hash the verification of a password has no result")
    func noMemoryToVerify() async {
        // The test limits the memory of a process of its own to the present size.
        await #expect(processExitsWith: .success) {
            let password = Array("correct horse".utf8)
            let hash = try #require(PasswordHash.make(of: password, cost: .interactive))
            try #require(hash.verify(password) == true)
            try limitMemory(to: memorySize() + 16 << 20)
            try #require(hash.verify(password) == nil)
            try #require(hash.verify(password + [0]) == nil)
        }
    }
}

/// Returns the size of the process's address space in bytes.
private func memorySize() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        .split(separator: " ").first.flatMap { Int($0) }
    return try #require(pages) * Int(getpagesize())
}

private func limitMemory(to size: Int) throws {
    var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
}
