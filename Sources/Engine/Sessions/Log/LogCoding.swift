import Glibc
import JSON
import NavigationRules
import WaypostCore

// The stored form of a log: each record is a JSON object on a line of its own. The objects differ in
// their members: a complete state has `state`, an entry has one of the members for its action, and
// all other objects hold events.

extension LogRecord {
    /// Appends the record and a line feed.
    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .state(let state): Self.write(to: &bytes) { $0.state(state) }
        case .entry(let entry): entry.write(to: &bytes)
        case .events(let events):
            Self.write(to: &bytes) { json in
                json.member("revision", events.first?.revision ?? 0)
                json.events(events)
            }
        }
    }

    fileprivate static func write(
        to bytes: inout [UInt8], _ members: (inout JSONWriter) -> Void
    ) {
        var json = JSONWriter(capacity: 512)
        json.object(members)
        // A small array is not grown to twice its size, since sessions keep it.
        if bytes.isEmpty { bytes.reserveCapacity(json.size + 1) }
        json.withBytes { bytes += $0 }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Decodes consecutive records, which may be damaged.
    /// - Returns: nil if a line is no record.
    package static func decode(_ bytes: [UInt8]) -> [LogRecord]? {
        var records: [LogRecord] = []
        for line in LogLine.lines(of: bytes) {
            guard let record = line.record() else { return nil }
            records.append(record)
        }
        return records
    }
}

extension LogEntry {
    /// Appends the entry as a record of a log.
    func write(to bytes: inout [UInt8]) { LogRecord.write(to: &bytes) { $0.entry(self) } }
}

/// A record that is not decoded yet. Decoding takes most of the time of a read, so that each reader
/// decodes only what it needs.
package struct LogLine {
    private let bytes: ArraySlice<UInt8>

    /// Divides the bytes of a row into its records.
    package static func lines(of row: [UInt8]) -> [LogLine] {
        var lines: [LogLine] = []
        var start = 0
        row.withUnsafeBytes { bytes in
            while start < bytes.count, let base = bytes.baseAddress {
                // `memchr` compares many bytes at once.
                let feed = memchr(base + start, 0x0A, bytes.count - start)
                let end = feed.map { UnsafeRawPointer($0) - base } ?? bytes.count
                if end > start { lines.append(LogLine(bytes: row[start..<end])) }
                start = end + 1
            }
        }
        return lines
    }

    /// The revision of the complete state in this record; nil if the record is no complete state, or
    /// is damaged.
    package var revisionOfState: Int? {
        guard bytes.starts(with: Self.revision) else { return nil }
        let digits = bytes.dropFirst(Self.revision.count).prefix { $0 != UInt8(ascii: ",") }
        guard bytes[digits.endIndex...].starts(with: Self.state) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static let revision = Array(#"{"revision":"#.utf8)
    private static let state = Array(#","state":"#.utf8)

    /// Decodes the record, whose bytes may be damaged.
    /// - Parameter withEvents: whether an entry is decoded with its events.
    package func record(withEvents: Bool = true) -> LogRecord? {
        guard let json = try? JSONValue(parsing: bytes, maximumDepth: 64),
            let revision = json["revision"]?.storedNumber, revision > 0
        else { return nil }
        if let window = json["state"] {
            return LogState(json, window, revision: revision).map(LogRecord.state)
        }
        if let action = LogEntry.Action(json) {
            return LogEntry(json, action, revision: revision, withEvents: withEvents)
                .map(LogRecord.entry)
        }
        guard let events = [LifecycleEvent](json, revision: revision), !events.isEmpty else {
            return nil
        }
        return .events(events)
    }

    /// Decodes the events of the record alone.
    /// - Returns: nil if these bytes of the record are damaged.
    package func events() -> [LifecycleEvent]? {
        if revisionOfState != nil { return [] }
        var part = bytes
        // The events of an entry stand before its time. Inside a string, the quotation marks of this
        // text would be escaped.
        let comma = UInt8(ascii: ",")
        if let end = bytes.indices.first(where: {
            bytes[$0] == comma && bytes[$0...].starts(with: Self.time)
        }) {
            part = bytes[..<end]
            part.append(UInt8(ascii: "}"))
        }
        guard let json = try? JSONValue(parsing: part, maximumDepth: 64),
            let revision = json["revision"]?.storedNumber, revision > 0
        else { return nil }
        return [LifecycleEvent](json, revision: revision)
    }

    private static let time = Array(#","at":"#.utf8)
}

// MARK: - Writing

extension JSONWriter {
    fileprivate mutating func state(_ state: LogState) {
        member("revision", state.revision)
        name("state")
        window(state.window)
        member("expires", state.expiresAt.milliseconds)
        if let credential = state.credential { member("credential", hexadecimal(credential.bytes)) }
        if let refusal = state.credentialRefusal { member("refusal", refusal.rawValue) }
    }

    fileprivate mutating func entry(_ entry: LogEntry) {
        member("revision", entry.revision)
        // `LogLine.events` decodes only the bytes before the time.
        events(entry.events)
        member("at", entry.time.milliseconds)
        if let id = entry.requestID { member("request", id) }
        action(entry.action)
        if let effect = entry.effect {
            name("did")
            self.effect(effect)
        }
        if let transition = entry.transition { member("transition", transition.rawValue) }
    }

    private mutating func action(_ action: LogEntry.Action) {
        switch action {
        case .perform(let operation, let animated):
            name("do")
            let isAnimated = animated ?? operation.base.isAnimatedByDefault
            let isDefault = operation.base.isAnimatedInLogByDefault == isAnimated
            operation.write(animated: isDefault ? nil : isAnimated, to: &self)
        case .logIn(let username, let credential, let isSignUp):
            member("logIn", username)
            member("credential", hexadecimal(credential.bytes))
            if isSignUp { member("isSignUp", true) }
        case .logOut: member("logOut", true)
        case .fallBack(let refusal): member("fallBack", refusal.rawValue)
        case .freshRoot: member("freshRoot", true)
        }
    }

    /// Writes the events of one change. The view controllers with their scenes are written once.
    /// Each event is one number: the kind in the lowest three bits, then a bit for `animated`, and
    /// then the index of the view controller. A kind from 7 on has 7 in the lowest bits, and the
    /// rest of its number in the three bits before the index.
    fileprivate mutating func events(_ events: [LifecycleEvent]) {
        guard let first = events.first else { return }
        // The indexes of the first event of each view controller. There are rarely more than two.
        var shown: [Int] = []
        let places = events.indices.map { index in
            if let place = shown.firstIndex(where: {
                events[$0].viewController == events[index].viewController
            }) {
                return place
            }
            shown.append(index)
            return shown.count - 1
        }
        member("first", first.seq)
        array("of", shown) { json, index in
            json.integer(events[index].viewController.number)
            json.string(events[index].scene)
        }
        array("events", events.indices) { json, position in
            let (event, place) = (events[position], places[position])
            let code = event.kind.code
            let index = code < 7 ? place : place << 3 | (code - 7)
            json.integer(index << 4 | (event.animated ? 8 : 0) | min(code, 7))
        }
    }
}

extension LifecycleEvent.Kind {
    /// The number of the kind in stored events. It never changes.
    fileprivate var code: Int {
        switch self {
        case .viewDidLoad: 0
        case .willShow: 1
        case .didShow: 2
        case .viewWillAppear: 3
        case .viewDidAppear: 4
        case .viewWillDisappear: 5
        case .viewDidDisappear: 6
        case .viewIsAppearing: 7
        case .presentationControllerShouldDismiss: 8
        case .presentationControllerWillDismiss: 9
        case .presentationControllerDidDismiss: 10
        case .shouldSelect: 11
        case .didSelect: 12
        }
    }

    fileprivate init?(code: Int) {
        guard let kind = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = kind
    }
}

// MARK: - Reading

extension LogState {
    fileprivate init?(_ json: JSONValue, _ window: JSONValue, revision: Int) {
        guard let stored = StoredWindow(window, revision: revision),
            let expiresAt = Timestamp(json["expires"]),
            let credential = json.ifPresent("credential", SecretHash.init),
            let refusal = json.ifPresent("refusal", CredentialRefusal.init)
        else { return nil }
        self.init(
            window: stored, expiresAt: expiresAt, credential: credential,
            credentialRefusal: refusal)
    }
}

extension LogEntry {
    fileprivate init?(_ json: JSONValue, _ action: Action, revision: Int, withEvents: Bool) {
        guard let time = Timestamp(json["at"]) else { return nil }
        var events: [LifecycleEvent] = []
        var lastEvent: Int?
        if withEvents {
            guard let decoded = [LifecycleEvent](json, revision: revision) else { return nil }
            events = decoded
            lastEvent = decoded.last?.seq
        } else if let count = json["events"]?.elements?.count, count > 0 {
            guard let first = json["first"]?.storedNumber else { return nil }
            lastEvent = first + count - 1
        }
        guard let effect = json.ifPresent("did", { WindowEffect($0, lastEvent: lastEvent) }),
            let transition = json.ifPresent("transition", { $0.text.flatMap(Transition.init) })
        else { return nil }
        self.init(
            revision: revision, time: time, requestID: json["request"]?.text, action: action,
            effect: effect, transition: transition, events: events)
    }
}

extension LogEntry.Action {
    /// - Returns: nil if the object has no action, or one that cannot be read.
    fileprivate init?(_ json: JSONValue) {
        if let value = json["do"] {
            guard let (operation, animated) = value.storedOperation() else { return nil }
            self = .perform(
                operation, animated: animated ?? operation.base.isAnimatedInLogByDefault)
        } else if let username = json["logIn"]?.text {
            guard let credential = json["credential"].flatMap(SecretHash.init) else { return nil }
            self = .logIn(
                username: username, credential: credential,
                isSignUp: json["isSignUp"]?.flag ?? false)
        } else if json["logOut"] != nil {
            self = .logOut
        } else if let value = json["fallBack"] {
            guard let refusal = CredentialRefusal(value) else { return nil }
            self = .fallBack(refusal)
        } else if json["freshRoot"] != nil {
            self = .freshRoot
        } else {
            return nil
        }
    }
}

extension [LifecycleEvent] {
    /// Reads the events of a record; none if the record has none.
    /// - Returns: nil if the events are damaged.
    fileprivate init?(_ json: JSONValue, revision: Int) {
        self = []
        guard let codes = json["events"] else { return }
        guard let codes = codes.elements, let first = json["first"]?.storedNumber,
            let shown = json["of"]?.elements, shown.count.isMultiple(of: 2)
        else { return nil }
        for (index, code) in codes.enumerated() {
            guard let code = code.storedNumber, case let isLate = code & 7 == 7,
                case let extra = isLate ? code >> 4 & 7 : 0,
                let kind = LifecycleEvent.Kind(code: code & 7 + extra),
                case let place = 2 * (code >> (isLate ? 7 : 4)), place < shown.count,
                let number = shown[place].storedNumber, let scene = shown[place + 1].text
            else { return nil }
            append(
                LifecycleEvent(
                    seq: first + index, revision: revision, kind: kind,
                    viewController: ViewController.ID(number: number), scene: scene,
                    animated: code & 8 != 0))
        }
    }
}

extension Timestamp {
    fileprivate init?(_ json: JSONValue?) {
        guard let milliseconds = json?.number, StoredRange.timestamps.contains(milliseconds) else {
            return nil
        }
        self.init(milliseconds: milliseconds)
    }
}

extension CredentialRefusal {
    fileprivate init?(_ json: JSONValue) {
        guard let refusal = json.text.flatMap(CredentialRefusal.init(rawValue:)) else { return nil }
        self = refusal
    }
}

extension SecretHash {
    /// Reads a hash from its 64 hexadecimal digits.
    fileprivate init?(_ json: JSONValue) {
        guard let digits = json.text?.utf8, digits.count == 64 else { return nil }
        let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard values.count == 64 else { return nil }
        self.init(
            bytes: stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }
}
