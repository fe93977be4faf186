import NavigationRules
import Sessions
import TestSupport
import Testing
import WaypostCore

extension SessionStoreContract {
    static let changeChecks = [
        Check("A commit of a session alone stores all its changes") {
            try await $0.changes()
        },
        Check("A change of a missing session stores nothing") {
            try await $0.changeOfNone()
        },
    ]

    private func changes() async throws {
        let store = try await emptyStore()
        let app = try Sample.app()
        for number in 1...3 { try await store.insert(try Sample.session(number)) }
        for revision in 2...5 {
            for number in 1...2 {
                let record = try Sample.record(session(number, revision: revision), in: app)
                try await store.change(record, events(revision: revision))
            }
        }
        for handle in try await handles(of: store) {
            for number in 1...2 {
                #expect(
                    try await handle.content(Sample.id(number)) == session(number, revision: 5))
                let all = (2...5).flatMap(events)
                #expect(try await handle.allEvents(of: Sample.id(number)) == all)
            }
            #expect(try await handle.content(Sample.id(3)) == Sample.session(3))
            #expect(try await handle.allEvents(of: Sample.id(3)).isEmpty)
        }
    }

    private func changeOfNone() async throws {
        let store = try await emptyStore()
        let app = try Sample.app()
        try await store.insert(try Sample.session(1))
        let record = try Sample.record(session(2, revision: 2), in: app)
        await #expect(throws: SessionError.ended) {
            try await store.change(record, Sample.events(1...3))
        }
        for handle in try await handles(of: store) {
            #expect(try await handle.content(Sample.id(1)) == Sample.session(1))
            #expect(try await handle.content(Sample.id(2)) == nil)
            #expect(try await handle.allEvents(of: Sample.id(2)).isEmpty)
        }
    }

    private func events(revision: Int) -> [LifecycleEvent] {
        Sample.events(3 * revision...3 * revision + 2, revision: revision)
    }

    /// Makes a session in which every changeable part differs from the inserted one.
    private func session(_ number: Int, revision: Int) throws -> StoredSession {
        let stack = [Sample.entry(1), Sample.entry(revision)]
        return try Sample.session(
            number,
            Sample.window(
                revision: revision, lastEvent: 10 * revision, auth: .loggedIn(username: nil),
                stack: stack),
            expiresAt: Timestamp(milliseconds: 1_800_000_000_000 + revision),
            credential: Sample.hash("\(revision)"),
            refusal: .expired)
    }
}

extension SessionStore {
    fileprivate func change(_ session: SessionState, _ events: [LifecycleEvent]) async throws {
        try await commit(
            WriteBatch(
                storing: .update(
                    .state(session), replacing: try await version(of: session.id)),
                events: events))
    }
}

extension Sample {
    fileprivate static func record(_ stored: StoredSession, in app: App) -> SessionState {
        SessionState(stored, Window.restore(stored.window, in: app).window)
    }

    /// Makes an app with the scenes of `entry(_:)` and without a login.
    fileprivate static func app() throws -> App {
        let dataSource = NoData()
        let scenes = (1...10).map { Scene(name: "scene \($0)", kind: .blank) }
        let draft = StoryboardDraft(
            name: "Test", loginScene: nil, initialScene: "scene 1", scenes: scenes)
        return App(
            storyboard: try Storyboard(draft, dataSource: dataSource), dataSource: dataSource)
    }
}
