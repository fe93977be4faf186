import NavigationRules
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostCore

@testable import SQLiteStore

/// Logs whose rows can be read, and do not belong together.
@Suite(.timeLimit(.minutes(10))) struct LogCheckTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    @Test("A change that does not fit the state before it is reported, though a state follows")
    func unfittingChange() async throws {
        let store = try SQLiteStore(path: path)
        let session = Sample.session(1)
        try await store.insert(session)
        let effect = WindowEffect(
            content: .stacks([.init(number: 1, kept: 5, added: [])]), lastViewController: 1,
            lastEvent: 0)
        let entry = LogEntry(
            revision: 2, time: Timestamp(milliseconds: 0), requestID: nil, action: .logOut,
            effect: effect, transition: nil, events: [])
        let later = SessionStoreTesting.Sample.window(revision: 3, lastEvent: 0)
        let next = try SessionStoreTesting.Sample.session(0, later)
        let state = LogRow(SessionStoreTesting.Sample.state(of: .stored(next)))
        let row = LogRow([.entry(entry)], revision: 2, firstEvent: 1)
        let log = LogWrite(movesTail: true, rows: [row], tail: state)
        try await store.commit(
            WriteBatch(session: .update(.stored(session), replacing: .first), log: log))
        let defects = try await store.check().defects
        #expect(
            defects.contains { $0.contains("a change that does not fit the state before it") },
            "\(defects)")
    }
}
