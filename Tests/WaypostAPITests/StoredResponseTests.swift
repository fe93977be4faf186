import Foundation
import HTTPCore
import TestSupport
import Testing

@testable import WaypostAPI

/// Tests of the responses in idempotency records.
@Suite struct StoredResponseTests {
    @Test(
        "A stored response is decoded as it was encoded, for any body",
        arguments: [0, 1, 10, 3000, 100_000])
    func roundTrip(_ size: Int) throws {
        var random = SeededGenerator(seed: UInt64(size))
        let noise = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let text = Array(repeating: responseDictionary, count: 1 + size / 2000).joined().prefix(
            size)
        for body in [noise, Array(text)] {
            var response = Response(.created, headers: ["ETag": "\"1-x\"", "Location": "/é"])
            if !body.isEmpty { response.body = .bytes(body) }
            let kept = try #require(StoredResponse(StoredResponse(response).bytes))
            #expect(kept.response.status == .created)
            #expect(kept.response.headers == response.headers)
            #expect(!kept.lacksSession)
            switch kept.response.body {
            case .bytes(let bytes): #expect(bytes == body)
            default: #expect(body.isEmpty)
            }
        }
    }

    @Test("A response that an earlier version stored is decoded, compressed or not")
    func earlierForms() throws {
        let plain = try #require(
            StoredResponse(Array("{\"status\":204,\"headers\":[[\"A\",\"b\"]]}\nbody".utf8)))
        #expect(plain.response.status == .noContent)
        #expect(plain.response.headers == ["A": "b"])
        let compressed = try #require(StoredResponse(Self.compressed))
        #expect(compressed.response.status == .ok)
        #expect(compressed.response.headers["Content-Type"] == "application/json")
        guard case .bytes(let body) = compressed.response.body else {
            Issue.record("the body is missing")
            return
        }
        #expect(body == Array(#"{"changed":true}"#.utf8))
    }

    /// A response with the body `{"changed":true}`, as an earlier version stored it.
    private static let compressed: [UInt8] =
        [1, 79, 0, 0, 0] + Data(base64Encoded: "DwIMKQqeB1B0cnVlfQ==")!

    @Test("Truncated and changed compressed responses are refused")
    func damage() {
        let bytes = Self.compressed
        for size in [78, 80, 255] as [UInt8] {
            #expect(StoredResponse([1, size] + bytes.dropFirst(2)) == nil)
        }
        #expect(StoredResponse([1, 255, 255, 255, 255] + bytes.dropFirst(5)) == nil)
        for end in 0..<bytes.count { #expect(StoredResponse(Array(bytes[..<end])) == nil) }
        // Damage never ends the process, and a wrong size does not allocate memory.
        for index in bytes.indices {
            for value in [0, 1, 0x7B, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = value
                _ = StoredResponse(damaged)
            }
        }
    }
}
