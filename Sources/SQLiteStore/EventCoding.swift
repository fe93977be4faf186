import JSON
import Navigation
import SQLStore

/// The lifecycle events of one change, encoded as JSON for one row of the database. The event
/// numbers are consecutive. The JSON contains the revision and the flag `animated` of the first
/// event. For a later event, the JSON contains the revision or the flag only if it differs from
/// that of the first event.
struct EventBatch {
    let first: Int
    let last: Int
    let content: [UInt8]

    /// Encodes events that have consecutive numbers.
    /// - Returns: nil if there are no events.
    init?(_ events: [LifecycleEvent]) {
        guard let first = events.first, let last = events.last else { return nil }
        self.first = first.seq
        self.last = last.seq
        var json = JSONWriter(capacity: 512)
        json.object { json in
            json.member("revision", first.revision)
            json.member("animated", first.animated)
            json.objects("events", events) { json, event in
                json.member("k", text: event.kind.text)
                json.member("n", event.viewController.number)
                json.member("s", event.scene)
                if event.revision != first.revision { json.member("r", event.revision) }
                if event.animated != first.animated { json.member("a", event.animated) }
            }
        }
        content = json.bytes
    }

    /// Decodes the events of a row.
    /// - Parameters:
    ///   - first: the number of the first event. It must be in the range `StoredRange.numbers`.
    ///   - content: the JSON that `init(_:)` has encoded.
    /// - Returns: nil if `content` has another format, or if a number in it is outside
    ///   `StoredRange.numbers`.
    static func events(first: Int, content: [UInt8]) -> [LifecycleEvent]? {
        guard let json = try? JSONValue(parsing: content, maximumDepth: 8),
            let revision = json["revision"]?.storedNumber, let animated = json["animated"]?.flag,
            let entries = json["events"]?.elements
        else { return nil }
        let events = entries.enumerated().compactMap { index, entry -> LifecycleEvent? in
            guard let kind = entry["k"]?.text.flatMap(LifecycleEvent.Kind.init),
                let number = entry["n"]?.storedNumber, let scene = entry["s"]?.text
            else { return nil }
            var own = revision
            if let other = entry["r"] {
                guard let other = other.storedNumber else { return nil }
                own = other
            }
            return LifecycleEvent(
                seq: first + index, revision: own, kind: kind,
                viewController: ViewController.ID(number: number), scene: scene,
                animated: entry["a"]?.flag ?? animated)
        }
        return events.count == entries.count ? events : nil
    }
}
