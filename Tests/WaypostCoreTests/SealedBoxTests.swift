import TestSupport
import Testing

@testable import WaypostCore

@Suite("Sealed boxes")
struct SealedBoxTests {
    private let environment = TestEnvironment().environment
    private let key = SecretHash(of: "the key")

    @Test("A sealed box is opened with its key", arguments: [0, 1, 15, 16, 1000, 100_000])
    func roundTrip(size: Int) {
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let box = SealedBox.seal(content, key: key, environment)
        #expect(SealedBox.open(box, key: key) == content)
        #expect(SealedBox.open(box, key: SecretHash(of: "another key")) == nil)
    }

    @Test("A box in which any bit has changed, or that is cut off, is not opened")
    func changed() {
        let box = SealedBox.seal(Array("a token".utf8), key: key, environment)
        for index in box.indices {
            var changed = box
            changed[index] ^= 1 << (index % 8)
            #expect(SealedBox.open(changed, key: key) == nil)
            #expect(SealedBox.open(Array(box[..<index]), key: key) == nil)
        }
    }

    @Test("The same content is sealed into another box each time, and is not in it")
    func different() {
        let content = Array(String(repeating: "wps_0123456789abcdef", count: 10).utf8)
        let boxes = (0..<20).map { _ in SealedBox.seal(content, key: key, environment) }
        #expect(Set(boxes).count == 20)
        for box in boxes { #expect(box.firstRange(of: content.prefix(8)) == nil) }
    }
}
