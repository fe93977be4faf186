import NavigationRules
import SQLStore
import WaypostCore

@testable import Sessions
@testable import WaypostAPI

/// A session's log as a row of the store holds it: records that are read are written as they were,
/// and the states that they describe can be shown, changed and replayed in any app.
func fuzzStoredLog(_ bytes: [UInt8]) {
    for line in LogLine.lines(of: bytes) {
        _ = (line.events(), line.revisionOfState, line.record(withEvents: false))
    }
    guard let records = LogRecord.decode(bytes) else { return }
    if records.allSatisfy(hasOneSceneEach) {
        precondition(LogRecord.decode(encoded(records)) == records)
    }
    _ = try? EventPage(rows: [bytes], oldest: 1, after: 0, limit: .max)
    let newest = try? LogState.newest(in: [bytes]).state
    for app in fuzzApps {
        if let newest { changeWindow(newest.window, in: app) }
        replay(bytes, in: app)
    }
}

/// A session as earlier versions stored it, with these bytes as its window and as its history: each
/// row of its log can be read.
func fuzzEarlierSession(_ bytes: [UInt8]) {
    let log = EarlierSession.log(
        revision: 1 << 56, window: bytes, expiresAt: Timestamp(milliseconds: 0), credential: nil,
        credentialRefusal: nil, journal: [bytes], events: [])
    for row in log.rows { precondition(LogRecord.decode(row.records) != nil) }
}

/// The events of a change as earlier versions stored them in SQLite (JSON) and in PostgreSQL, behind
/// seven bytes of the first number: each row of the log with these events can be read.
func fuzzEarlierEvents(_ bytes: [UInt8]) {
    let first = bytes.prefix(7).reduce(0) { $0 << 8 | Int($1) }
    let content = Array(bytes.dropFirst(7))
    for events in [
        EarlierEvents.decode(json: content, first: first),
        EarlierEvents.decode(content, first: first),
    ] {
        guard let events else { continue }
        precondition(events.map(\.seq) == Array(first..<first + events.count))
        let log = EarlierSession.log(
            revision: 1 << 56, window: [], expiresAt: Timestamp(milliseconds: 0), credential: nil,
            credentialRefusal: nil, journal: [], events: events)
        for row in log.rows { precondition(LogRecord.decode(row.records) != nil) }
    }
}

func encoded(_ records: [LogRecord]) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records { record.write(to: &bytes) }
    return bytes
}

private func changeWindow(_ stored: StoredWindow, in app: App) {
    var window = Window.restore(stored, in: app).window
    let operations: [Operation] = [
        .push(.scene("a", parameters: [:])), .pop, .back, .popToRoot, .selectTab(1),
        .present(Present(scene: "tabs")), .unwind(Unwind(action: "any")), .swipeDown,
        Operation(SwipeBack(completed: false)),
        .dismiss(nil), .selectSegment(1),
    ]
    for operation in operations {
        _ = try? window.perform(operation, animated: true, in: app)
    }
    _ = window.stored
}

/// Performs the changes of a log again, for a session with a later revision than any of them.
private func replay(_ bytes: [UInt8], in app: App) {
    var stored = Window.launch(app).window.stored
    precondition(stored.apply(WindowEffect(content: .stacks([])), revision: 1 << 57))
    let present = SessionState(
        id: fuzzSession, tokenHash: SecretHash(of: ""), createdAt: Timestamp(milliseconds: 0),
        expiresAt: Timestamp(milliseconds: 0), window: Window.restore(stored, in: app).window,
        credential: nil, credentialRefusal: nil)
    let walk = LogWalk(app: app, sessionTTL: .seconds(60), present: present)
    var repetition = ChangeRepetition(walk)
    let changes = try? walk.run([bytes], revisions: 0...1 << 57, isAll: true) {
        repetition.perform($0, on: $1)
    }
    for change in changes ?? [] {
        if let states = change.states, let top = states.top {
            _ = ViewController(top, under: states.auth, in: app)
        }
        _ = change.reading?.after.window.stored
    }
}

private let fuzzSession = SessionID.make(
    Environment(now: { Timestamp(milliseconds: 0) }, random: { 1 }))

/// Reports whether each view controller has the same scene in all events of a record. Damaged bytes
/// can say otherwise, but a record names the scene of a view controller once.
private func hasOneSceneEach(_ record: LogRecord) -> Bool {
    let events: [LifecycleEvent]
    switch record {
    case .state: return true
    case .entry(let entry): events = entry.events
    case .events(let others): events = others
    }
    var scenes: [ViewController.ID: Scene.Name] = [:]
    for event in events { scenes[event.viewController] = event.scene }
    return events.allSatisfy {
        Array($0.scene.utf8) == Array((scenes[$0.viewController] ?? "").utf8)
    }
}

/// The response to a request with an `Idempotency-Key`, as a record holds it.
func fuzzKeptResponse(_ bytes: [UInt8]) {
    guard let kept = StoredResponse(bytes) else { return }
    guard let again = StoredResponse(kept.bytes) else {
        fatalError("a response was kept so that it cannot be read")
    }
    precondition(again.response.status == kept.response.status)
    precondition(again.response.headers == kept.response.headers)
    precondition(again.lacksSession == kept.lacksSession)
}
