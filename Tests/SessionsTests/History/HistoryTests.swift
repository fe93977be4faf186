import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("The history of a session", .timeLimit(.minutes(10)))
struct HistoryTests {
    private func expect(
        _ session: Session, hasRevisions revisions: [Int: SessionState],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (revision, expected) in revisions {
            let found = try await session.history.state(at: revision)
            #expect(
                found.window.stored == expected.window.stored, "revision \(revision)",
                sourceLocation: sourceLocation)
            #expect(found.expiresAt == expected.expiresAt, sourceLocation: sourceLocation)
            #expect(found.credential == expected.credential, sourceLocation: sourceLocation)
        }
    }

    @Test("Every revision of a walk of 300 changes is rebuilt as it was")
    func revisions() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let revisions = try await fixture.walk(session, changes: 300)
        try await expect(session, hasRevisions: revisions)
    }

    @Test(
        "Large changes have a complete state often, so that few of them are repeated", .everyStore)
    func largeChanges() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let title = String(repeating: "x", count: 500)
        for number in 0..<40 {
            let top = try await session.record().window.topViewController.id
            let operations = (0..<20).map { index in
                Operation.update(
                    top, ViewControllerChanges(title: .some("\(number) \(index) \(title)")))
            }
            _ = try await session.perform(.batch(operations))
        }
        let part = try await fixture.store.log(of: session.id, from: 20, through: 20)
        #expect(part.rows.joined().count < 200_000)
        for revision in 1...41 {
            let past = try await session.history.state(at: revision)
            let expected = revision == 1 ? nil : "\(revision - 2) 19 \(title)"
            #expect(past.window.topViewController.title == expected || revision == 1)
        }
        // Without further states, a part would have all changes.
        let all = try await fixture.store.log(of: session.id, from: 0, through: 99)
        #expect(all.rows.joined().count > 400_000)
        #expect(part.rows.joined().count * 2 < all.rows.joined().count)
    }

    @Test("A session that is stored and loaded again and again keeps its history", .everyStore)
    func eviction() async throws {
        let fixture = try Fixture(.withoutLogin())
        let (opened, token) = try await fixture.directory.opened()
        var revisions: [Int: SessionState] = [:]
        for round in 0..<6 {
            let session = try #require(
                try await fixture.restarted().session(opened.id, token: token.hash))
            let walked = try await fixture.walk(session, changes: 30, seed: UInt64(round))
            revisions.merge(walked) { $1 }
        }
        let session = try #require(
            try await fixture.restarted().session(opened.id, token: token.hash))
        try await expect(session, hasRevisions: revisions)
        let page = try await session.history.page(after: 0, limit: 1000)
        #expect(page.changes.map(\.entry.revision) == Array(2...181))
    }

    @Test("Pages of the history have all changes as they were asked for")
    func pages() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        #expect(try await session.history.page(after: 0, limit: 10).changes.isEmpty)
        let revisions = try await fixture.walk(session, changes: 250)
        var found: [RecordedChange] = []
        while true {
            let after = found.last?.entry.revision ?? 0
            let page = try await session.history.page(after: after, limit: 33)
            #expect(page.last == 251 && page.oldest == 1)
            if page.changes.isEmpty { break }
            #expect(page.changes.count <= 33)
            found += page.changes
        }
        #expect(found.map(\.entry.revision) == Array(2...251))
        for change in found {
            let after = try #require(revisions[change.entry.revision])
            #expect(change.title == after.window.topViewController.effectiveTitle)
            #expect(change.transition != nil && !change.isHidden)
        }
    }

    @Test("A request id and the time of a change are recorded", .everyStore)
    func requestID() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        fixture.clock.advance(by: .seconds(9))
        _ = try await session.perform(
            ChangeRequest(.perform(.push("detail"), animated: true), requestID: "abc"))
        _ = try await session.perform(ChangeRequest(.perform(.pop, animated: false)))
        let entries = try await session.history.page(after: 0, limit: 10).changes.map(\.entry)
        #expect(entries.map(\.revision) == [2, 3])
        #expect(entries.map(\.time) == [fixture.clock.now, fixture.clock.now])
        #expect(entries.map(\.requestID) == ["abc", nil])
        #expect(
            entries.map(\.action) == [
                .perform(.push("detail"), animated: true), .perform(.pop, animated: false),
            ])
    }

    @Test("Changes beyond the retention are gone, and all others are there")
    func retention() async throws {
        let fixture = try Fixture(.withoutLogin(), historyRetention: 120)
        let session = try await fixture.open()
        let revisions = try await fixture.walk(session, changes: 400)
        try await expect(session, hasRevisions: revisions.filter { $0.key >= 281 })
        for revision in [1, 100, 280] {
            await #expect(throws: SessionError.revisionGone(oldest: 281)) {
                _ = try await session.history.state(at: revision)
            }
        }
        await #expect(throws: SessionError.revisionGone(oldest: 281)) {
            _ = try await session.history.page(after: 280, limit: 10)
        }
        let page = try await session.history.page(after: 281, limit: 1000)
        #expect(page.changes.map(\.entry.revision) == Array(282...401))
        for (last, expected) in [(101, []), (281, []), (283, [282, 283])] {
            let replayed = try await session.history.repeating(
                of: session.current(), after: 1, through: last, for: .patient
            ) { $0.map(\.0.revision) }
            #expect(replayed.value == expected)
        }
    }

    @Test("Without a history only the present is there", .everyStore)
    func off() async throws {
        let fixture = try Fixture(.withoutLogin(), historyRetention: 0)
        let session = try await fixture.open()
        let revisions = try await fixture.walk(session, changes: 5)
        try await expect(session, hasRevisions: revisions.filter { $0.key == 6 })
        await #expect(throws: SessionError.revisionGone(oldest: 6)) {
            _ = try await session.history.state(at: 5)
        }
        #expect(try await session.history.page(after: 6, limit: 9).changes.isEmpty)
    }

    @Test("A history that was off for some changes has those that are still stored", .everyStore)
    func offForAWhile() async throws {
        let fixture = try Fixture(.withoutLogin())
        let (opened, token) = try await fixture.directory.opened()
        func session(retention: Int) async throws -> Session {
            let service = fixture.restartedService(historyRetention: retention)
            return try #require(
                try await SessionDirectory(service).session(opened.id, token: token.hash))
        }
        var revisions = try await fixture.walk(session(retention: 100), changes: 5)
        revisions.merge(try await fixture.walk(session(retention: 0), changes: 5)) { $1 }
        let session = try await session(retention: 100)
        revisions.merge(try await fixture.walk(session, changes: 5)) { $1 }
        let oldest = try await session.history.page(after: 15, limit: 1).oldest
        try await expect(session, hasRevisions: revisions.filter { $0.key >= oldest })
        #expect(oldest <= 11)
        for limit in [1, 2, 5, 6, 100] {
            var found = [oldest]
            var count = limit
            while count == limit {
                let page = try await session.history.page(after: found.last ?? 0, limit: limit)
                count = page.changes.count
                found += page.changes.map(\.entry.revision)
            }
            #expect(found == Array(oldest...16), "limit \(limit)")
        }
    }

    @Test(
        "A damaged row of the log is an error of the history alone, and goes on behind the damage",
        .everyStore)
    func damage() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        _ = try await session.push("detail")
        let stored = try #require(try await fixture.store.session(session.id))
        let damaged = LogRow(
            first: 2, last: 2, firstEvent: stored.window.lastEvent + 1, hasState: false,
            records: [0xFF, 0, 7])
        let batch = WriteBatch(
            session: .update(.stored(stored), replacing: stored.version),
            log: LogWrite(
                movesTail: true, rows: [damaged], tail: LogWrite(replacementFor: stored).tail))
        try await fixture.store.commit(batch)
        for _ in 0..<2 {
            let error = await #expect(throws: SessionError.self) {
                _ = try await session.history.page(after: 0, limit: 10)
            }
            guard case .storage(let reason) = error else {
                Issue.record("the log was read, or failed for another reason")
                return
            }
            #expect(reason.reason.contains("damaged"))
            // The session has another row version now, so that it is read again.
            #expect(try await session.push("settings").outcome.changed)
        }
        let last = try await session.record().revision
        #expect(try await session.history.state(at: last - 1).revision == last - 1)
        let page = try await session.history.page(after: last - 1, limit: 10)
        #expect(page.changes.map(\.entry.revision) == [last])
    }

    @Test("A revision that the session has not reached is not found", .everyStore)
    func future() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        await #expect(throws: SessionError.revisionNotFound(present: 1)) {
            _ = try await session.history.state(at: 2)
        }
        #expect(try await session.history.state(at: 1).revision == 1)
    }

    @Test(
        "A storyboard without a scene of the session is a change, and what was before is gone",
        .everyStore)
    func otherApp() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        _ = try await session.push("detail")
        _ = try await session.push("settings")
        let (opened, token) = (try await session.record(), session.tokenHash)
        fixture.clock.advance(by: Fixture.sessionTTL / 2)
        let later = try #require(
            try await fixture.restarted(.withLogin()).session(opened.id, token: token))
        #expect(try await later.record().expiresAt == fixture.clock.now + Fixture.sessionTTL)
        let page = try await later.history.page(after: 0, limit: 10)
        #expect(page.changes.map(\.entry.revision) == [2, 3, 4])
        #expect(page.changes.last?.entry.action == .freshRoot)
        // The changes were made without a log-in, so that they are of no account.
        #expect(page.changes.map(\.isHidden) == [false, false, false])
        await #expect(throws: SessionError.revisionGone(oldest: nil)) {
            _ = try await later.history.state(at: 2)
        }
        #expect(try await later.history.state(at: 4).window.root == .login)
    }

    @Test(
        "A new start as the first change is in the history, with the state before it", .everyStore)
    func firstChangeIsNewStart() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let (opened, token) = (try await session.record(), session.tokenHash)
        let later = try #require(
            try await fixture.restarted(.withLogin()).session(opened.id, token: token))
        let page = try await later.history.page(after: 0, limit: 10)
        #expect(page.changes.map(\.entry.action) == [.freshRoot])
        #expect(page.changes.map(\.entry.revision) == [2])
        let again = try #require(
            try await fixture.restarted(.withoutLogin()).session(opened.id, token: token))
        let first = try await again.history.state(at: 1)
        #expect(first.window.viewControllers == opened.window.viewControllers)
    }

    @Test(
        "The last revision before a new start can be seen once the storyboard fits it again",
        .everyStore)
    func formerApp() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        _ = try await session.push("detail")
        _ = try await session.push("settings")
        let (before, token) = (try await session.record(), session.tokenHash)
        let other = try fixture.restarted(.withLogin())
        let loggedOut = try await #require(other.session(before.id, token: token)).record()
        let again = try #require(
            try await fixture.restarted(.withoutLogin()).session(before.id, token: token))
        let present = try await again.record()
        #expect((loggedOut.revision, present.revision) == (4, 5))
        for revision in 1...3 {
            #expect(try await again.history.state(at: revision).revision == revision)
        }
        #expect(
            try await again.history.state(at: 3).window.viewControllers
                == before.window.viewControllers)
        let changes = try await again.history.page(after: 0, limit: 9).changes
        #expect(changes.map(\.entry.revision) == [2, 3, 4, 5])
    }

    @Test("Nobody sees a revision of a log-in whose credential is revoked", .everyStore)
    func revoked() async throws {
        let fixture = try Fixture(.withLogin())
        let session = try await fixture.open()
        _ = try await session.signUp("ada", "correct horse battery")
        _ = try await session.push("detail")
        let loggedIn = try await session.history.state(at: 2)
        #expect(loggedIn.window.auth == .loggedIn(username: "ada"))
        #expect(
            try await session.history.page(after: 0, limit: 9).changes.allSatisfy { !$0.isHidden }
        )
        _ = try await session.perform(ChangeRequest(.logOut))
        for revision in [2, 3] {
            await #expect(throws: SessionError.credentialRefused(.revoked)) {
                _ = try await session.history.state(at: revision)
            }
        }
        #expect(try await session.history.state(at: 1).window.auth == .loggedOut)
        let changes = try await session.history.page(after: 0, limit: 9).changes
        #expect(changes.map(\.isHidden) == [true, true, false])
        #expect(changes.map(\.title) == [nil, nil, nil])
    }

    @Test(
        "Nobody sees or forks a revision of an ended log-in after the app has lost its log-in",
        .everyStore)
    func lostLogin() async throws {
        let fixture = try Fixture(.withLogin())
        try await fixture.signUp("ada", "correct horse battery")
        let (session, _) = try await fixture.logIn("ada", "correct horse battery")
        _ = try await session.push("detail")
        _ = try await session.logOut()
        let directory = fixture.restarted(try .withoutLogin())
        let later = try await #require(directory.session(session.id))
        let refusal = SessionError.credentialRefused(.revoked)
        await #expect(throws: refusal) { _ = try await later.history.state(at: 3) }
        await #expect(throws: refusal) { _ = try await directory.fork(later, at: 3) }
        let changes = try await later.history.page(after: 0, limit: 9).changes
        #expect(changes.map(\.isHidden) == [true, true, false, false])
        #expect(changes.map(\.entry.action).last == .freshRoot)
    }

    @Test(
        "A log-in that the app does not ask for any more is hidden when it is revoked", .everyStore)
    func revokedInLostLogin() async throws {
        let fixture = try Fixture(.withLogin())
        try await fixture.signUp("ada", "correct horse battery")
        let (session, credential) = try await fixture.logIn("ada", "correct horse battery")
        _ = try await session.push("detail")
        let later = try await #require(
            fixture.restarted(try .withoutLogin()).session(session.id))
        #expect(try await later.history.state(at: 2).username?.text == "ada")
        let holder = try await fixture.holder(of: credential)
        _ = try await fixture.accountDirectory.revoke(holder.credential.id, of: holder)
        await #expect(throws: SessionError.credentialRefused(.revoked)) {
            _ = try await later.history.state(at: 2)
        }
    }

    @Test("A fall-back to the login root is recorded", .everyStore)
    func fallBack() async throws {
        let fixture = try Fixture(.withLogin())
        let (session, credential) = try await { () async throws in
            try await fixture.signUp("ada", "correct horse battery")
            return try await fixture.logIn("ada", "correct horse battery")
        }()
        let holder = try await fixture.holder(of: credential)
        _ = try await fixture.accountDirectory.revoke(holder.credential.id, of: holder)
        #expect(try await session.record().window.root == .login)
        let last = try await session.history.page(after: 0, limit: 9).changes.last
        #expect(last?.entry.action == .fallBack(.revoked))
        _ = try await session.push("signUp")
        #expect(try await session.history.state(at: 3).credentialRefusal == .revoked)
    }

    @Test("A page of events has none of a change that is stored and not visible yet")
    func eventsOfLaterChange() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let last = try await session.record().window.lastEvent
        _ = try await #require(fixture.restarted().session(session.id)).push("detail")
        let found = try await session.history.events(after: 0, limit: .max)
        #expect(found.page.events.map(\.seq) == Array(1...last))
        #expect(found.last == last)
    }
}
