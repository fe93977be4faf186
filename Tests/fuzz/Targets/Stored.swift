import JSON
import Navigation
import SQLStore
import WaypostCore

@testable import SQLiteStore
@testable import Sessions
@testable import WaypostAPI

/// A window as a row of the store holds it: one that is read is written as it was, can be shown, and
/// can be changed.
func fuzzStoredWindow(_ bytes: [UInt8]) {
    guard let json = try? JSONValue(parsing: bytes, maximumDepth: 16),
        let archive = WindowArchive(json, revision: 1)
    else { return }
    var writer = JSONWriter()
    writer.window(archive)
    guard let written = try? JSONValue(parsing: writer.bytes, maximumDepth: 16) else {
        fatalError("a window is written as JSON that cannot be read")
    }
    precondition(WindowArchive(written, revision: 1) == archive)
    for app in fuzzApps {
        var window = Window.restore(archive, in: app).window
        let operations: [Operation] = [
            .push(.scene("a", parameters: [:])), .pop, .back, .popToRoot, .selectTab(1),
            .present(Present(scene: "tabs")), .unwind(Unwind(action: "any")), .swipeDown,
            .dismiss(nil),
        ]
        for operation in operations {
            _ = try? window.perform(operation, animated: true, in: app)
        }
        _ = try? window.perform(.selectSegment(1), animated: true, in: app)
        _ = window.archive
    }
}

/// The events of a change as a row of the store holds them, behind seven bytes of the first number.
func fuzzStoredEvents(_ bytes: [UInt8]) {
    let first = bytes.prefix(7).reduce(0) { $0 << 8 | Int($1) }
    guard let events = EventBatch.events(first: first, content: Array(bytes.dropFirst(7))),
        let group = EventBatch(events)
    else { return }
    precondition(group.first == first && group.last == first + events.count - 1)
    guard haveOneSceneEach(events) else { return }
    precondition(EventBatch.events(first: first, content: group.content) == events)
}

/// The events of changes as a PostgreSQL database holds them.
func fuzzStoredLog(_ bytes: [UInt8]) {
    guard let events = EventLog.decode(bytes, first: 1) else { return }
    precondition(events.map(\.seq) == Array(1..<1 + events.count))
    guard haveOneSceneEach(events) else { return }
    precondition(EventLog.decode(EventLog.encode(events), first: 1) == events)
}

/// The journal of a session as a database holds it: what is read is written as it was, and can be
/// replayed in any app.
func fuzzStoredJournal(_ bytes: [UInt8]) {
    guard let records = JournalRecord.decode(bytes) else { return }
    var writer = ByteWriter()
    for record in records { record.write(into: &writer) }
    precondition(JournalRecord.decode(writer.bytes) == records)
    for app in fuzzApps {
        let present = SessionSnapshot(
            id: fuzzSession, tokenHash: SecretHash(of: ""),
            createdAt: Timestamp(milliseconds: 0), expiresAt: Timestamp(milliseconds: 0),
            window: Window.launch(app).window, credential: nil, credentialRefusal: nil)
        let replay = Replay(app: app, digest: 0, sessionTTL: .seconds(60), present: present)
        let changes = try? replay.run([bytes], revisions: 0...1 << 57, isAll: true)
        for case (_, let change?) in changes ?? [] { _ = change.after.window.archive }
    }
}

private let fuzzSession = SessionID.make(
    Environment(now: { Timestamp(milliseconds: 0) }, random: { 1 }))

/// Reports whether each view controller has the same scene in all its events. Damaged bytes can say
/// otherwise, but a scene is written once for several events of its view controller.
private func haveOneSceneEach(_ events: [LifecycleEvent]) -> Bool {
    var scenes: [ViewController.ID: Scene.Name] = [:]
    for event in events { scenes[event.viewController] = event.scene }
    return events.allSatisfy {
        Array($0.scene.utf8) == Array((scenes[$0.viewController] ?? "").utf8)
    }
}

/// The response to a request with an `Idempotency-Key`, as a record holds it.
func fuzzKeptResponse(_ bytes: [UInt8]) {
    guard let kept = KeptResponse(bytes) else { return }
    guard let again = KeptResponse(kept.bytes) else {
        fatalError("a response was kept so that it cannot be read")
    }
    precondition(again.response.status == kept.response.status)
    precondition(again.response.headers == kept.response.headers)
    precondition(again.lacksSession == kept.lacksSession)
}
