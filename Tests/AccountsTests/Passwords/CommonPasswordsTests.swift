import Testing

@testable import Sessions

@Suite("Common passwords")
struct CommonPasswordsTests {
    private static let list = commonPasswordList.withUTF8Buffer { text in
        text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("The 10,000 common passwords are distinct, in lower case, and each is found")
    func list() {
        #expect(Self.list.count == 10_000)
        #expect(Set(Self.list).count == 10_000)
        #expect(Self.list.allSatisfy { $0 == $0.lowercased() && !$0.isEmpty })
        #expect(Self.list.allSatisfy(CommonPasswords.contains))
    }

    @Test(
        "A common password is found in any case of its letters",
        arguments: ["password1", "Password1", "PASSWORD1"])
    func anyCase(password: String) {
        #expect(CommonPasswords.contains(password))
    }

    @Test(
        "A password that only resembles a common one is not found",
        arguments: [
            "", "\n", " password1", "password1 ", "password1\n", "password1\npassword",
            "correct horse battery staple",
        ])
    func others(password: String) {
        #expect(!CommonPasswords.contains(password))
    }
}
