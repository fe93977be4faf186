import Navigation

/// A session's newest lifecycle events, in order and without gaps. The encoding is compact because
/// a store holds millions of events.
///
/// The bytes are a sequence of groups. A group holds the events of one revision: first the number
/// of events, then the revision, then the events. An event begins with a `Code` byte, which can
/// refer to an earlier event of the same view controller in the group. Without such a reference,
/// the code is followed by the view controller's number, the length of its scene's name, and the
/// name. `EventWriter.write(_ number:)` defines the encoding of numbers.
package struct EventLog: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The offset of the oldest group in `bytes`.
    private var start: Int {
        get { Int(storedStart) }
        set { storedStart = UInt32(newValue) }
    }
    private var count: Int {
        get { Int(storedCount) }
        set { storedCount = UInt32(newValue) }
    }
    // A memory store keeps a log and a journal for each session. Integers of half the size in the
    // log save about as much memory as an empty journal takes.
    private var storedStart: UInt32 = 0
    private var storedCount: UInt32 = 0
    /// The number (`seq`) of the oldest event in the log; 1 if the log never had one.
    private(set) var oldest = 1

    /// Adds events, and drops old events beyond the retention.
    /// - Parameters:
    ///   - events: events whose numbers continue those in the log. The first event of an empty log
    ///     may have any number.
    ///   - retention: the minimum number of events to keep, the newest ones.
    mutating func append(_ events: [LifecycleEvent], retention: Int) {
        if count == 0, let first = events.first { oldest = first.seq }
        let events = events.span
        var start = 0
        while start < events.count {
            let revision = events[start].revision
            var end = start + 1
            while end < events.count, events[end].revision == revision { end += 1 }
            write(events.extracting(start..<end), of: revision)
            start = end
        }
        forget(beyond: retention)
    }

    init() {}

    /// Makes a log from the bytes that one or more calls of `encode` have returned, joined in
    /// order. The log is only for reading: no events may be appended to it.
    /// - Parameter first: the number (`seq`) of the first event.
    init(bytes: [UInt8], first: Int) {
        self.bytes = bytes
        oldest = first
    }

    /// Returns at most `limit` events, beginning with the event after number `seq`.
    func events(after seq: Int, limit: Int) -> [LifecycleEvent] {
        var events: [LifecycleEvent] = []
        var position = start
        var number = oldest
        while position < bytes.count, events.count < limit {
            let group = readHead(at: &position)
            if number + group.count - 1 <= seq {
                skip(group.count, at: &position)
            } else {
                events += read(group, from: number, at: &position).drop { $0.seq <= seq }
            }
            number += group.count
        }
        return Array(events.prefix(limit))
    }

    /// Drops the oldest events if the log holds more than `retention` events. Each call drops about
    /// as many events as the last append has added, so that no change waits for a long cleanup.
    /// - Parameter retention: the minimum number of events to keep, the newest ones.
    private mutating func forget(beyond retention: Int) {
        while count > retention {
            var position = start
            let group = readHead(at: &position)
            guard count - group.count >= retention else { break }
            skip(group.count, at: &position)
            start = position
            count -= group.count
            oldest += group.count
        }
        if start > bytes.count / 2 {
            bytes.removeSubrange(..<start)
            start = 0
        }
    }
}

// MARK: - Groups

extension EventLog {
    private typealias Group = (count: Int, revision: Int)

    private mutating func write(_ group: Span<LifecycleEvent>, of revision: Int) {
        // The group is encoded separately, so that the log's bytes grow only once for each group.
        var writer = EventWriter()
        writer.write(group.count)
        writer.write(revision)
        for index in group.indices { writer.write(eventAt: index, of: group) }
        bytes += writer.bytes
        count += group.count
    }

    private func readHead(at position: inout Int) -> Group {
        let count = readNumber(at: &position)
        return (count, readNumber(at: &position))
    }

    private func skip(_ count: Int, at position: inout Int) {
        for _ in 0..<count {
            let code = Code(byte: bytes[position])
            position += 1
            guard code.distance == 0 else { continue }
            _ = readNumber(at: &position)
            let length = readNumber(at: &position)
            position += length
        }
    }

    private func read(
        _ group: Group, from number: Int, at position: inout Int
    ) -> [LifecycleEvent] {
        var events: [LifecycleEvent] = []
        events.reserveCapacity(group.count)
        for index in 0..<group.count {
            let code = Code(byte: bytes[position])
            position += 1
            let viewController: ViewController.ID
            let scene: String
            if code.distance > 0 {
                let other = events[index - Int(code.distance)]
                (viewController, scene) = (other.viewController, other.scene)
            } else {
                viewController = ViewController.ID(number: readNumber(at: &position))
                let end = readNumber(at: &position) + position
                scene = String(decoding: bytes[position..<end], as: UTF8.self)
                position = end
            }
            events.append(
                LifecycleEvent(
                    seq: number + index, revision: group.revision, kind: code.kind,
                    viewController: viewController, scene: scene, animated: code.isAnimated))
        }
        return events
    }
}

// MARK: - Numbers and codes

extension EventLog {
    private func readNumber(at position: inout Int) -> Int {
        var number: UInt = 0
        var shift: UInt = 0
        while true {
            let byte = bytes[position]
            position += 1
            number |= UInt(byte & 0x7F) << shift
            if byte < 0x80 { return Int(number) }
            shift += 7
        }
    }

    /// The first byte of an event. Three bits hold the kind of the event, and one bit holds
    /// `animated`. The other four hold the distance: the number of events back to the previous
    /// event of the same view controller in the group, or 0 if the view controller's number follows
    /// the code.
    struct Code {
        static let maximumDistance = 15

        let byte: UInt8

        init(byte: UInt8) { self.byte = byte }

        /// - Parameter distance: the number of events back to the previous event of the same view
        ///   controller in the group; 0 if the view controller's number follows the code.
        init(_ event: LifecycleEvent, distance: UInt8) {
            byte = event.kind.place | (event.animated ? 8 : 0) | distance << 4
        }

        var isKindKnown: Bool { Int(byte & 7) < LifecycleEvent.Kind.inPlaces.count }
        var kind: LifecycleEvent.Kind { LifecycleEvent.Kind.inPlaces[Int(byte & 7)] }
        var isAnimated: Bool { byte & 8 != 0 }
        var distance: UInt8 { byte >> 4 }
    }
}

extension LifecycleEvent.Kind {
    fileprivate static let inPlaces = allCases.sorted { $0.place < $1.place }

    /// The number that stands for the kind in a `Code`.
    fileprivate var place: UInt8 {
        switch self {
        case .viewDidLoad: 0
        case .willShow: 1
        case .didShow: 2
        case .viewWillAppear: 3
        case .viewDidAppear: 4
        case .viewWillDisappear: 5
        case .viewDidDisappear: 6
        }
    }
}
