import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("The records of a log")
struct LogCodingTests {
    private static let operations: [Operation] =
        Sample.operations + [
            .selectSegment(Int.interoperable.upperBound),
            .selectSegment(Int.interoperable.lowerBound),
            .swipeBack(completed: true), .swipeBack(completed: false),
            .setFlags([:]), .setFlags(["paid": true, "tour": false]),
        ]

    private static let effects: [WindowEffect] = {
        // One of the windows has a thousand view controllers, which take much time in each effect.
        let entries = Sample.windows.flatMap { $0.stack.prefix(20) }
        return [
            WindowEffect(content: .stacks([])),
            WindowEffect(
                content: .stacks([
                    .init(number: 1, kept: 0, added: entries),
                    .init(number: Sample.bigNumber, isBare: true, kept: 7, added: [], keptAbove: 9),
                ]),
                auth: .loggedOut, segments: .some(nil), pending: .some(nil),
                lastNavigationController: 3, lastViewController: Sample.bigNumber),
            WindowEffect(
                content: .layers([
                    .init(
                        presentationStyle: nil, presenter: nil, isContainerModal: false,
                        tabBar: "tabs", tabScenes: ["n"], selectedIndex: 1,
                        stacks: [.init(number: 2, kept: 1, added: [])]),
                    .init(
                        presentationStyle: .overCurrentContext, presenter: 5,
                        isContainerModal: true, tabBar: nil, selectedIndex: 0,
                        stacks: [.init(number: 3, isBare: true, kept: 0, added: [Sample.entry(6)])]),
                ]),
                auth: .loggedIn(username: "Ødegård"),
                segments: .some(.init(selectedIndex: 1, roots: [nil, 4], kept: [Sample.entry(4)])),
                pending: PendingAction(link: "/a%2Fb")),
            WindowEffect(content: .stacks([]), auth: .loggedIn(username: nil)),
            WindowEffect(
                content: .stacks([]), auth: .guest,
                pending: PendingAction(
                    viewController: ViewController.ID(number: 3),
                    Operation(TapControl(title: "Ødegård", in: .accessory)), animated: false)),
            WindowEffect(
                content: .stacks([]),
                pending: PendingAction(Operation(Open(.url("shop://a"))), animated: false)),
            WindowEffect(content: .stacks([]), flags: ["paid": true, "a\"": false]),
        ]
    }()

    private static let records: [LogRecord] = {
        let actions: [LogEntry.Action] =
            operations.flatMap { operation -> [LogEntry.Action] in
                let values =
                    type(of: operation.base).hasAnimated
                    ? [true, false] : [operation.base.isAnimatedByDefault]
                return values.map { .perform(operation, animated: $0) }
            } + [
                .logIn(username: "Ada", credential: Sample.hash("a"), isSignUp: false),
                .logIn(username: "Ødegård", credential: Sample.hash("b"), isSignUp: true),
                .logOut, .fallBack(.revoked), .fallBack(.expired), .freshRoot,
            ]
        let entries = actions.enumerated().map { number, action in
            LogRecord.entry(
                LogEntry(
                    revision: number + Sample.bigNumber,
                    time: Timestamp(milliseconds: number.isMultiple(of: 2) ? -5 : 1 << 45),
                    requestID: number.isMultiple(of: 3) ? nil : "id-\(number)", action: action,
                    effect: number.isMultiple(of: 5) ? nil : effects[number % effects.count],
                    transition: number.isMultiple(of: 7) ? nil : .push))
        }
        let states = Sample.windows.map { window in
            LogRecord.state(
                LogState(
                    window: window, expiresAt: Sample.now,
                    credential: window.auth == .loggedOut ? nil : Sample.hash("c"),
                    credentialRefusal: window.auth == .loggedOut ? .unknown : nil))
        }
        let events = [
            LogRecord.events(Sample.events(1...1)), .events(Sample.events(5...60, revision: 9)),
        ]
        return entries + states + events
    }()

    private static func bytes(_ records: [LogRecord]) -> [UInt8] {
        records.reduce(into: []) { $1.write(to: &$0) }
    }

    @Test("Every operation, effect, window and event is read as it was written")
    func roundTrip() throws {
        for record in Self.records {
            #expect(LogRecord.decode(Self.bytes([record])) == [record])
        }
        #expect(LogRecord.decode(Self.bytes(Self.records)) == Self.records)
        #expect(LogRecord.decode([]) == [])
    }

    @Test("The events of an entry are read with it, and give the effect its last event")
    func events() throws {
        let entry = LogEntry(
            revision: 3, time: Sample.now, action: .logOut,
            effect: WindowEffect(content: .stacks([]), lastEvent: 12), transition: .root,
            events: Sample.events(8...12, revision: 3))
        #expect(LogRecord.decode(Self.bytes([.entry(entry)])) == [.entry(entry)])
    }

    @Test("A batch without the member is not animated in a log, although it has a swipe-back")
    func batchOfEarlierVersion() throws {
        let batch = Operation.batch([.swipeBack(completed: true)])
        func bytes(animated: Bool) -> [UInt8] {
            Self.bytes([
                .entry(
                    LogEntry(
                        revision: 2, time: Sample.now,
                        action: .perform(batch, animated: animated), effect: nil, transition: .pop))
            ])
        }
        let text = #""do":{"batch":{"operations":[{"swipe-back":{"completed":true}}]}}"#
        #expect(String(decoding: bytes(animated: false), as: UTF8.self).contains(text))
        #expect(!String(decoding: bytes(animated: true), as: UTF8.self).contains(text))
    }

    @Test("A reader decodes the events of a record alone, and an entry without its events")
    func parts() throws {
        for record in Self.records {
            let lines = LogLine.lines(of: Self.bytes([record]))
            let line = try #require(lines.first)
            switch record {
            case .state(let state):
                #expect(line.events() == [])
                #expect(line.revisionOfState == state.revision)
                #expect(line.record(withEvents: false) == record)
            case .entry(let entry):
                #expect(line.events() == entry.events)
                #expect(line.revisionOfState == nil)
                let bare = LogEntry(
                    revision: entry.revision, time: entry.time, requestID: entry.requestID,
                    action: entry.action, effect: entry.effect, transition: entry.transition)
                #expect(line.record(withEvents: false) == .entry(bare))
            case .events(let events):
                #expect(line.events() == events)
                #expect(line.revisionOfState == nil)
                #expect(line.record(withEvents: false) == record)
            }
        }
    }

    @Test("A record that ends too early is recognized")
    func prefixes() throws {
        for record in Self.records {
            let bytes = Self.bytes([record]).dropLast()
            guard bytes.count < 2000 else { continue }
            for count in 1..<bytes.count {
                #expect(LogRecord.decode(Array(bytes.prefix(count))) == nil)
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
                guard let read = LogRecord.decode(damaged) else { continue }
                try #require(LogRecord.decode(Self.bytes(read)) == read)
            }
        }
    }

    @Test("The numbers of the kinds in stored events never change")
    func kinds() throws {
        let kinds: [LifecycleEvent.Kind] = [
            .viewDidLoad, .willShow, .didShow, .viewWillAppear, .viewDidAppear,
            .viewWillDisappear, .viewDidDisappear, .viewIsAppearing,
            .presentationControllerShouldDismiss, .presentationControllerWillDismiss,
            .presentationControllerDidDismiss, .shouldSelect, .didSelect,
        ]
        #expect(kinds.count == LifecycleEvent.Kind.allCases.count)
        let events = kinds.enumerated().map { index, kind in
            LifecycleEvent(
                seq: index + 1, revision: 2, kind: kind,
                viewController: ViewController.ID(number: 1),
                scene: "books", animated: true)
        }
        let entry = LogEntry(
            revision: 2, time: Sample.now, action: .logOut,
            effect: WindowEffect(content: .stacks([]), lastEvent: events.count), transition: .root,
            events: events)
        let text = String(decoding: Self.bytes([.entry(entry)]), as: UTF8.self)
        #expect(text.contains(#""events":[8,9,10,11,12,13,14,15,31,47,63,79,95]"#), "\(text)")
    }

    @Test("A push takes at most 330 bytes without a request id")
    func size() throws {
        let events = (0..<7).map { index in
            LifecycleEvent(
                seq: 100_000 + index, revision: 100_000, kind: .viewDidLoad,
                viewController: ViewController.ID(number: index < 3 ? 14 : 15), scene: "books",
                animated: true)
        }
        let parameters: Parameters = ["author": "j-r-r-tolkien"]
        let entry = LogEntry(
            revision: 100_000, time: Sample.now,
            action: .perform(
                .push(.scene("books", parameters: ["author": "j-r-r-tolkien"])), animated: true),
            effect: WindowEffect(
                content: .stacks([
                    .init(number: 1, kept: 14, added: [Sample.entry(15, parameters)])
                ]), lastViewController: 15, lastEvent: 100_006),
            transition: .push, events: events)
        #expect(Self.bytes([.entry(entry)]).count <= 330)
    }
}
