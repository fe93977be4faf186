import Navigation
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("The bytes of a journal")
struct JournalEntryTests {
    private static let id = ViewController.ID(number: 7)

    private static let operations: [Operation] = [
        .push(.scene("books", parameters: ["author": "Ødegård", "n": ""])),
        .push(.instance(id)), .pop, .popTo(id), .popToScene("books"), .popToRoot,
        .setViewControllers([.scene("a", parameters: [:]), .instance(id)]),
        .setRootViewController(.instance(id)), .select(row: 70_000), .select(row: -1),
        .selectSegment(Int.interoperable.upperBound), .selectSegment(Int.interoperable.lowerBound),
        .back,
        .open(Link(path: "/a%2Fb", segments: ["a/b"])),
        .present(Present(scene: "a")),
        .present(
            Present(
                scene: "a", parameters: ["b": "c"], style: .popover, isModalInPresentation: true,
                from: id)),
        .dismiss(nil), .dismiss(id), .swipeDown, .selectTab(1), .tapTab(0),
        .segue("buy", parameters: ["book": "1"], from: id),
        .segue("buy", parameters: [:], from: nil),
        .tap(TapControl(title: "Buy")), .tap(TapControl(title: "", in: .button)),
        .tap(TapControl(3, in: .row)),
        .show(.scene("a", parameters: [:])), .unwind(Unwind(action: "done")),
        .unwind(Unwind(id)), .on(NavigationController.ID(number: 3), .push(.instance(id))),
        .batch([.pop, .on(NavigationController.ID(number: 1), .back), .popToRoot]), .batch([]),
        .update(id, ViewControllerChanges(), parameters: nil),
        .update(id, changes, parameters: ["a": "b"]),
    ]

    private static let changes = ViewControllerChanges(
        title: .some(nil),
        navigationItem: NavigationItemChanges(
            title: .some("nul\0"), backButtonTitle: .some(nil), hidesBackButton: false,
            leftItems: [], leftItemsSupplementBackButton: true, rightItems: ["", "ü"]),
        hidesBottomBarWhenPushed: true, bottomBarText: .some("text"), toolbarItems: ["1"],
        isModalInPresentation: false,
        tabBarItem: TabBarItemChanges(title: .some("tab"), badge: .some(nil)))

    private static var records: [JournalRecord] {
        let changes: [JournalEntry.Change] =
            operations.flatMap { [.perform($0, animated: true), .perform($0, animated: false)] } + [
                .logIn(username: "Ada", credential: Sample.hash("a"), isSignUp: false),
                .logIn(username: "Ødegård", credential: Sample.hash("b"), isSignUp: true),
                .logOut, .fallBack(.revoked), .fallBack(.expired), .freshRoot,
            ]
        let entries = changes.enumerated().map { number, change in
            JournalRecord.entry(
                JournalEntry(
                    revision: number + Sample.bigNumber,
                    time: Timestamp(milliseconds: number.isMultiple(of: 2) ? -5 : 1 << 45),
                    requestID: number.isMultiple(of: 3) ? nil : "id-\(number)", change: change))
        }
        let bases = Sample.windows.map { window in
            JournalRecord.base(
                JournalBase(
                    window: window, expiresAt: Sample.now,
                    credential: window.auth == .loggedOut ? nil : Sample.hash("c"),
                    credentialRefusal: window.auth == .loggedOut ? .unknown : nil,
                    digest: 0x89AB_CDEF))
        }
        return entries + bases
    }

    private static func bytes(_ records: [JournalRecord]) -> [UInt8] {
        var writer = ByteWriter()
        for record in records { record.write(into: &writer) }
        return writer.bytes
    }

    @Test("Every operation and every window is read as it was written")
    func roundTrip() throws {
        for record in Self.records {
            #expect(JournalRecord.decode(Self.bytes([record])) == [record])
        }
        #expect(JournalRecord.decode(Self.bytes(Self.records)) == Self.records)
        #expect(JournalRecord.decode([]) == [])
    }

    @Test("Bytes that end too early are recognized")
    func prefixes() throws {
        for record in Self.records {
            let bytes = Self.bytes([record])
            guard bytes.count < 2000 else { continue }
            for count in 1..<bytes.count {
                #expect(JournalRecord.decode(Array(bytes.prefix(count))) == nil)
            }
        }
    }

    @Test("Changed bytes give other records or none, and are written as they were read")
    func damage() throws {
        var generator = SeededGenerator(seed: 5)
        for record in Self.records {
            let bytes = Self.bytes([record])
            for _ in 0..<50 {
                var damaged = bytes
                damaged[Int.random(in: bytes.indices, using: &generator)] =
                    UInt8.random(in: 0...255, using: &generator)
                guard let read = JournalRecord.decode(damaged) else { continue }
                #expect(JournalRecord.decode(Self.bytes(read)) == read)
            }
        }
    }

    @Test("A push takes at most 96 bytes without a request id")
    func size() throws {
        let entry = JournalEntry(
            revision: 1_000_000, time: Sample.now,
            change: .perform(
                .push(.scene("books", parameters: ["author": "j-r-r-tolkien"])), animated: true))
        #expect(Self.bytes([.entry(entry)]).count <= 96)
    }

    /// The bytes that earlier versions stored for `operations`, without the selections of segments, whose indices were
    /// larger than any client can send.
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
        let operations = Self.operations.filter { !($0.base is SelectSegment) }
        #expect(operations.count == Self.earlierBytes.count)
        for (operation, bytes) in zip(operations, Self.earlierBytes) {
            var reader = ByteReader(bytes)
            #expect(try reader.operation() == operation)
            #expect(reader.isAtEnd)
        }
    }

    @Test("A count in damaged bytes reserves no memory")
    func hugeCounts() {
        let bytes: [UInt8] = [1, 1, 0, 22, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        #expect(JournalRecord.decode(bytes) == nil)
        let nested: [UInt8] = [1, 1, 0] + Array(repeating: [21, 1], count: 10_000).flatMap(\.self)
        #expect(JournalRecord.decode(nested) == nil)
    }
}
