import JSON
import TestSupport
import Testing

@testable import HTTPCore

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test(
        "Percent-encoding escapes the bytes of all but the unreserved characters",
        arguments: [
            ("", ""), ("AZaz09-._~", "AZaz09-._~"), ("a b", "a%20b"), ("a/b", "a%2Fb"),
            ("100%", "100%25"), ("é", "%C3%A9"), ("📚", "%F0%9F%93%9A"), ("\n", "%0A"),
            (":@!$&'()*+,;=", "%3A%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        ])
    func encoding(text: String, expected: String) {
        #expect(PercentEncoding.encoded(text, plain: .unreserved) == expected)
    }

    @Test("Percent-decoding a part of a text reads only that part")
    func part() throws {
        let text = "%41/%42"
        let slash = try #require(text.utf8.firstIndex(of: UInt8(ascii: "/")))
        #expect(PercentEncoding.decoded(text[..<slash].utf8) == "A")
        #expect(PercentEncoding.decoded(text[text.utf8.index(after: slash)...].utf8) == "B")
    }

    @Test("A percent-encoded text is one path segment and decodes to the same scalars")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let text = Self.text(using: &generator)
            let encoded = PercentEncoding.encoded(text, plain: .unreserved)
            try #require(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            let decoded = try #require(PercentEncoding.decoded(encoded[...].utf8), "\(encoded)")
            try #require(Array(decoded.unicodeScalars) == Array(text.unicodeScalars))
            try #require(try RequestTarget("/\(encoded)").segments == [decoded])
        }
    }

    @Test("Percent-decoding random bytes never traps and never returns a NUL")
    func arbitraryBytes() throws {
        var generator = SeededGenerator(seed: 2)
        let alphabet = Array("%%%%0123456789abcdefABCDEFgz/é\0".unicodeScalars)
        var taken = 0
        for _ in 0..<5000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...9, using: &generator) {
                text.unicodeScalars.append(alphabet.randomElement(using: &generator) ?? "%")
            }
            guard let decoded = PercentEncoding.decoded(text[...].utf8) else { continue }
            taken += 1
            try #require(!decoded.utf8.contains(0))
        }
        #expect(taken > 100)
    }

    /// Returns a random text of up to 20 scalars from all planes, without NUL.
    private static func text(using generator: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            let bound = [0x7F, 0x7FF, 0xFFFF, 0x10FFFF].randomElement(using: &generator) ?? 0x7F
            let value = UInt32.random(in: 1...UInt32(bound), using: &generator)
            // Surrogates are not scalars.
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
