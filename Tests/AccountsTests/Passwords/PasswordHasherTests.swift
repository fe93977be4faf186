import Testing

@testable import Sessions

@Suite("Password hasher")
struct PasswordHasherTests {
    private let password = Array("countess!".utf8)

    @Test("A password verifies only against its own hash")
    func verify() async throws {
        let hasher = try PasswordHasher.minimal(threads: 2)
        let hash = try await hasher.hash(password, for: .unknown)
        #expect(try await hasher.verify(password, against: hash, for: .unknown))
        #expect(try await !hasher.verify(password + [0], against: hash, for: .unknown))
    }

    @Test("No password verifies without a hash", arguments: ["", "countess!"])
    func noHash(text: String) async throws {
        let hasher = try PasswordHasher.minimal(threads: 2)
        #expect(try await !hasher.verify(Array(text.utf8), against: nil, for: .unknown))
    }

    @Test("A hasher cannot be made without memory for one hash")
    func noMemory() {
        #expect(throws: SessionError.passwordsBusy) {
            try PasswordHasher(
                cost: PasswordHash.Cost(operations: 1, memory: .max), threads: 1)
        }
    }
}
