import Synchronization
import TestSupport
import Testing

@testable import WaypostCore

@Suite("Secrets")
struct SecretTests {
    @Test(
        "A secret is its purpose and 256 bits of chance, in hexadecimal",
        arguments: [(Secret.Purpose.session, "wps_"), (.credential, "wpc_")])
    func format(purpose: Secret.Purpose, prefix: String) {
        let numbers = Mutex<[UInt64]>([0, 1, .max, 0x0123_4567_89AB_CDEF])
        let environment = Environment(
            now: { Timestamp(milliseconds: 0) },
            random: { numbers.withLock { $0.removeFirst() } })
        let expected =
            prefix + "0000000000000000" + "0000000000000001" + "ffffffffffffffff"
            + "0123456789abcdef"
        #expect(Secret.make(for: purpose, environment).text == expected)
    }

    @Test("Every secret that is made is different")
    func different() {
        let environment = TestEnvironment().environment
        let texts = (0..<1000).map { _ in Secret.make(for: .session, environment).text }
        #expect(Set(texts).count == 1000)
    }

    @Test("A secret is parsed from its text, for its own purpose alone")
    func reading() throws {
        let secret = Secret.make(for: .session, TestEnvironment().environment)
        #expect(try #require(Secret(secret.text, for: .session)).text == secret.text)
        #expect(Secret(secret.text, for: .session)?.hash == secret.hash)
        #expect(Secret(secret.text, for: .credential) == nil)
    }

    static let digits = String(repeating: "0123456789abcdef", count: 4)

    @Test(
        "A text that is no secret is refused",
        arguments: [
            "", "wps_", digits, "wps_\(digits.dropLast())", "wps_\(digits)0", "WPS_\(digits)",
            "wps_\(digits.uppercased())", "wps_\(digits.dropLast())g", " wps_\(digits)",
            "wps_\(digits.dropLast()) ", "wps-\(digits)", "wps_\(digits.dropLast(2))é",
            "wps_\(digits.dropLast())\0",
        ])
    func notASecret(text: String) {
        #expect(Secret(text, for: .session) == nil)
        let hash = Array(text.utf8).withUnsafeBytes { SecretHash(of: $0, for: .session) }
        #expect(hash == nil)
    }

    @Test("A secret's bytes have the hash of its text")
    func hashOfBytes() {
        let secret = Secret.make(for: .session, TestEnvironment().environment)
        Array(secret.text.utf8).withUnsafeBytes { bytes in
            #expect(SecretHash(of: bytes, for: .session) == secret.hash)
            #expect(SecretHash(of: bytes, for: .credential) == nil)
        }
    }

    @Test("The stored hash of a secret is BLAKE2b of its text, purpose included")
    func hash() throws {
        // RFC 7693's BLAKE2b with 32 bytes of output.
        let expected = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"
        let bytes = SecretHash(of: "abc").bytes
        #expect(bytes.map { hexadecimal(UInt64($0)).suffix(2) }.joined() == expected)
        let session = try #require(Secret("wps_" + Self.digits, for: .session))
        let credential = try #require(Secret("wpc_" + Self.digits, for: .credential))
        #expect(session.hash == SecretHash(of: session.text))
        #expect(session.hash != credential.hash)
    }

    @Test("Hashes that differ in one bit are different, wherever it is")
    func equality() {
        let environment = TestEnvironment().environment
        let one = Secret.make(for: .session, environment)
        for index in one.text.indices.dropFirst(4) {
            let other = one.text[index] == "0" ? "1" : "0"
            let text = one.text[..<index] + other + one.text[one.text.index(after: index)...]
            #expect(Secret(String(text), for: .session)?.hash != one.hash)
        }
    }

    @Test("A lower-case hexadecimal digit is recognised at any position, and no other byte is")
    func digitsAnywhere() {
        for byte in UInt8.min...UInt8.max {
            let isDigit = "0123456789abcdef".utf8.contains(byte)
            #expect(isHexadecimalDigit(byte) == isDigit)
            for place in 0..<19 {
                var bytes = Array("0123456789abcdef789".utf8)
                bytes[place] = byte
                #expect(bytes.withUnsafeBytes(areHexadecimalDigits) == isDigit)
            }
        }
    }
}
