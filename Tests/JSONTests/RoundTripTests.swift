import Foundation
import TestSupport
import Testing
import WaypostCore

@testable import JSON

@Suite("What is written is read the same")
struct RoundTripTests {
    @Test(
        "Any JSON document that was written is parsed to the same value",
        arguments: 0..<8 as Range<UInt64>)
    func parser(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<250 {
            let value = JSONValue.random(depth: 6, using: &generator)
            var json = JSONWriter(capacity: 0)
            json.write(value)
            let bytes = json.bytes
            try #require(try JSONValue(parsing: bytes, maximumDepth: 6) == value)
        }
    }

    @Test(
        "Any JSON document that was written is parsed by Foundation to the same value",
        arguments: 0..<8 as Range<UInt64>)
    func foundation(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let value = JSONValue.random(depth: 5, using: &generator)
            var json = JSONWriter(capacity: 0)
            json.write(value)
            let data = Data(json.bytes)
            let read = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            try #require(Self.isSame(value, read), "\(String(decoding: data, as: UTF8.self))")
        }
    }

    /// Foundation reads a number by way of `Decimal`, which costs some of its last bits.
    private static func isSame(_ value: JSONValue, _ read: Any) -> Bool {
        switch value {
        case .null: read is NSNull
        case .boolean(let value): read as? Bool == value
        case .integer(let value): (read as? NSNumber)?.int64Value == Int64(value)
        case .real(let value):
            (read as? NSNumber).map { abs($0.doubleValue - value) <= abs(value) * 1e-14 } ?? false
        case .string(let value):
            (read as? String).map { Array($0.utf8) == Array(value.utf8) } ?? false
        case .array(let elements):
            (read as? [Any]).map { read in
                read.count == elements.count && zip(elements, read).allSatisfy(isSame)
            } ?? false
        case .object(let object):
            (read as? [String: Any]).map { read in
                read.count == object.members.count
                    && object.members.allSatisfy { member in
                        read[member.name].map { isSame(member.value, $0) } ?? false
                    }
            } ?? false
        }
    }
}
