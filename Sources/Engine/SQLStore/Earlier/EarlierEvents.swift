import JSON
import NavigationRules
import Sessions
import WaypostCore

/// Decodes lifecycle events in the two forms of earlier versions. The numbers (`seq`) of the events
/// in one value are consecutive.
package enum EarlierEvents {
    /// Decodes the events of one change from the JSON that the SQLite store kept. A later event has
    /// its revision and `animated` only if they differ from those of the first event.
    /// - Parameter first: the number of the first event, in the range `StoredRange.numbers`.
    /// - Returns: nil if the JSON is damaged.
    package static func decode(json bytes: [UInt8], first: Int) -> [LifecycleEvent]? {
        guard let json = try? JSONValue(parsing: bytes, maximumDepth: 8),
            let revision = json["revision"]?.storedNumber, let animated = json["animated"]?.flag,
            let entries = json["events"]?.elements
        else { return nil }
        let events = entries.enumerated().compactMap { index, entry -> LifecycleEvent? in
            guard let kind = entry["k"]?.text.flatMap(LifecycleEvent.Kind.init),
                let number = entry["n"]?.storedNumber, let scene = entry["s"]?.text,
                let own = entry["r"].map(\.storedNumber) ?? revision
            else { return nil }
            return LifecycleEvent(
                seq: first + index, revision: own, kind: kind,
                viewController: ViewController.ID(number: number), scene: scene,
                animated: entry["a"]?.flag ?? animated)
        }
        return events.count == entries.count ? readable(events) : nil
    }

    /// Decodes events from the bytes that the PostgreSQL store kept: groups with the events of one
    /// revision each. A group has the number of its events, the revision, and the events. The first
    /// byte of an event holds its kind in three bits, `animated` in one, and in four the number of
    /// events back to the previous event of the same view controller. If these are 0, the view
    /// controller's number and the name of its scene follow.
    /// - Parameter first: the number of the first event.
    /// - Returns: nil if the bytes are damaged.
    package static func decode(_ bytes: [UInt8], first: Int) -> [LifecycleEvent]? {
        var reader = ByteReader(bytes)
        var events: [LifecycleEvent] = []
        while !reader.isAtEnd {
            guard (try? readGroup(&reader, first, &events)) != nil else { return nil }
        }
        return readable(events)
    }

    private static func readGroup(
        _ reader: inout ByteReader, _ first: Int, _ events: inout [LifecycleEvent]
    ) throws {
        let count = try reader.number()
        let revision = try reader.number()
        let start = events.count
        while events.count < start + count {
            let code = try reader.byte()
            let distance = Int(code >> 4)
            guard Int(code & 7) < kinds.count, distance <= events.count - start else {
                throw DamagedBytes()
            }
            let other = distance > 0 ? events[events.count - distance] : nil
            events.append(
                LifecycleEvent(
                    seq: first + events.count, revision: revision, kind: kinds[Int(code & 7)],
                    viewController: try other?.viewController
                        ?? ViewController.ID(number: reader.number()),
                    scene: try other?.scene ?? reader.text(), animated: code & 8 != 0))
        }
    }

    /// Returns the events; nil if the log with one of them could not be read.
    private static func readable(_ events: [LifecycleEvent]) -> [LifecycleEvent]? {
        let areReadable = events.allSatisfy {
            StoredRange.counts.contains($0.revision) && StoredRange.numbers.contains($0.seq)
        }
        return areReadable ? events : nil
    }

    private static let kinds: [LifecycleEvent.Kind] = [
        .viewDidLoad, .willShow, .didShow, .viewWillAppear, .viewDidAppear, .viewWillDisappear,
        .viewDidDisappear,
    ]
}
