import HTTPCore
import TestSupport
import Testing

@testable import WaypostAPI

/// Tests of the responses in idempotency records.
@Suite struct KeptResponseTests {
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
            let kept = try #require(KeptResponse(KeptResponse(response).bytes))
            #expect(kept.response.status == .created)
            #expect(kept.response.headers == response.headers)
            #expect(!kept.lacksSession)
            switch kept.response.body {
            case .bytes(let bytes): #expect(bytes == body)
            default: #expect(body.isEmpty)
            }
        }
    }

    @Test("A response similar to others is compressed to a fraction of its size")
    func compression() {
        let response = Response(.ok, body: .bytes(responseDictionary))
        #expect(KeptResponse(response).bytes.count < responseDictionary.count / 10)
    }

    @Test("An uncompressed stored response of an earlier version is decoded")
    func plain() throws {
        let bytes = Array("{\"status\":204,\"headers\":[[\"A\",\"b\"]]}\nbody".utf8)
        let kept = try #require(KeptResponse(bytes))
        #expect(kept.response.status.code == 204)
        #expect(kept.response.headers["A"] == "b")
    }

    @Test("Truncated and changed records of a response are refused")
    func damage() {
        let body = Array("{\"changed\":true}".utf8)
        let bytes = KeptResponse(Response(.ok, body: .bytes(responseDictionary + body))).bytes
        for end in 0..<bytes.count { #expect(KeptResponse(Array(bytes[..<end])) == nil) }
        // Damage never ends the process, and a wrong size does not allocate memory.
        for index in bytes.indices {
            for value in [0, 1, 0x7B, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = value
                _ = KeptResponse(damaged)
            }
        }
    }
}
