import JSON
import NavigationRules
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostCore

@testable import SQLStore

@Suite("The histories that earlier versions stored")
struct EarlierLogTests {
    /// The bytes that earlier versions stored for `Sample.operations`.
    private static let earlierBytes: [[UInt8]] = [
        [
            0, 0, 5, 98, 111, 111, 107, 115, 2, 6, 97, 117, 116, 104, 111, 114, 9, 195, 152,
            100, 101, 103, 195, 165, 114, 100, 1, 110, 0,
        ],
        [0, 1, 7],
        [1],
        [2, 7],
        [3, 5, 98, 111, 111, 107, 115],
        [4],
        [5, 2, 0, 1, 97, 0, 1, 7],
        [6, 1, 7],
        [7, 224, 197, 8],
        [7, 1],
        [9],
        [10, 6, 47, 97, 37, 50, 70, 98, 1, 3, 97, 47, 98],
        [11, 1, 97, 0, 0, 0, 0],
        [11, 1, 97, 1, 1, 98, 1, 99, 1, 7, 112, 111, 112, 111, 118, 101, 114, 1, 1, 1, 7],
        [12, 0],
        [12, 1, 7],
        [13],
        [14, 2],
        [15, 0],
        [16, 3, 98, 117, 121, 1, 4, 98, 111, 111, 107, 1, 49, 1, 7],
        [16, 3, 98, 117, 121, 0, 0],
        [17, 0, 3, 66, 117, 121, 0],
        [17, 0, 0, 1, 6, 98, 117, 116, 116, 111, 110],
        [17, 1, 6, 3, 114, 111, 119],
        [18, 0, 1, 97, 0],
        [19, 4, 100, 111, 110, 101],
        [20, 7],
        [21, 3, 0, 1, 7],
        [22, 3, 1, 21, 1, 9, 4],
        [22, 0],
        [23, 7, 0, 0],
        [
            23, 7, 1, 0, 2, 1, 3, 0, 4, 1, 3, 116, 97, 98, 5, 0, 6, 1, 4, 116, 101, 120, 116,
            7, 1, 1, 49, 8, 1, 4, 110, 117, 108, 0, 9, 0, 10, 0, 11, 0, 12, 1, 13, 2, 0, 2,
            195, 188, 0, 1, 1, 1, 97, 1, 98,
        ],
    ]

    @Test("Operations that an earlier version has stored are read")
    func earlierVersion() throws {
        #expect(Sample.operations.count == Self.earlierBytes.count)
        for (operation, bytes) in zip(Sample.operations, Self.earlierBytes) {
            var reader = ByteReader(bytes)
            #expect(try reader.operation() == operation)
            #expect(reader.isAtEnd)
        }
    }

    @Test(
        "Bytes that no version has stored as an operation are damaged",
        arguments: [
            [17, 2], [24], [27], [22, 1, 24],
            // An operation on a navigation controller that is for no stack
            [21, 3, 13],
            // JSON that is no operation: an array, an empty object, and an operation of no known name
            [26, 2] + "[]".utf8, [26, 2] + "{}".utf8, [26, 12] + #"{"dance":{}}"#.utf8,
        ] as [[UInt8]])
    func damagedOperations(_ bytes: [UInt8]) {
        #expect(throws: DamagedBytes.self) { try Self.operation(bytes) }
    }

    @Test("An operation in JSON that is cut off, or that has an unknown member, is refused")
    func malformedJSON() {
        #expect(throws: JSONSyntaxError.self) {
            try Self.operation([26, 11] + #"{"dance":{}}"#.utf8.dropLast())
        }
        #expect {
            try Self.operation([26, 19] + #"{"pop":{"dance":1}}"#.utf8)
        } throws: {
            guard case BodyError.invalid(let defects) = $0 else { return false }
            return defects.map(\.pointer) == ["/pop/dance"]
        }
    }

    private static func operation(_ bytes: [UInt8]) throws -> NavigationRules.Operation {
        var reader = ByteReader(bytes)
        return try reader.operation()
    }

    @Test("A stored session that waits at a link for the log-in still waits after decoding")
    func pendingLink() throws {
        // The link, and the scenes that an earlier version kept with it
        let pending: [UInt8] = [1, 2] + "/a".utf8 + [1, 1] + "b".utf8
        let state: [UInt8] =
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 97, 0, 0, 0, 0, 1, 1, 0]
            + pending + [0, 1]
        guard case .state(let decoded)? = EarlierLog.decode(state)?.first else {
            Issue.record("the state is damaged")
            return
        }
        #expect(decoded.window.pending == PendingAction(link: "/a"))
        #expect(decoded.window.stack.map(\.scene) == ["a"])
    }

    @Test("A count in damaged bytes reserves no memory")
    func hugeCounts() {
        let bytes: [UInt8] = [1, 1, 0, 22, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(EarlierLog.decode(bytes) == nil)
        let nested: [UInt8] = [1, 1, 0] + Array(repeating: [21, 1], count: 10_000).flatMap(\.self)
        #expect(EarlierLog.decode(nested) == nil)
    }

    @Test("A history with a revision that no log can have is damaged", arguments: [0, 1])
    func revisions(_ revision: UInt8) {
        let isSound = revision > 0
        #expect((EarlierLog.decode([6, revision, 0]) != nil) == isSound)
        let state: [UInt8] =
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, revision, 0, 1, 1, 1, 97, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1]
        #expect((EarlierLog.decode(state) != nil) == isSound)
        #expect((EarlierEvents.decode([1, revision, 0, 1, 1, 97], first: 1) != nil) == isSound)
        let event = #"{"k":"willShow","n":1,"s":"a"}"#
        let json = #"{"revision":\#(revision),"animated":true,"events":[\#(event)]}"#
        #expect((EarlierEvents.decode(json: Array(json.utf8), first: 1) != nil) == isSound)
    }

    @Test("Events with numbers beyond those of a log are damaged")
    func eventNumbers() {
        let two: [UInt8] = [2, 1, 0, 1, 1, 97, 0x11]
        let highest = StoredRange.numbers.upperBound
        #expect(EarlierEvents.decode(two, first: highest - 1)?.count == 2)
        #expect(EarlierEvents.decode(two, first: highest) == nil)
    }

    @Test("An event that refers to an earlier event is damaged if there is none")
    func damagedEvents() {
        for code in [0x20, 0xF1] as [UInt8] {
            #expect(EarlierEvents.decode([2, 1, 1, 1, 1, 97, code], first: 1) == nil)
        }
        #expect(EarlierEvents.decode([2, 1, 1, 1, 1, 97, 0x11], first: 1)?.count == 2)
    }
}
