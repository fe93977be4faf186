import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("The history of a session", .everyStore, .timeLimit(.minutes(10)))
struct HistoryTests {
    /// Makes random changes to a session.
    /// - Returns: the session at each of its revisions.
    private func walk(
        _ session: Session, changes: Int, _ fixture: Fixture, seed: UInt64 = 3
    ) async throws -> [Int: SessionState] {
        var generator = SeededGenerator(seed: seed)
        let scenes = ["home", "detail", "settings"]
        var revisions: [Int: SessionState] = [:]
        var current = try await session.record()
        revisions[current.revision] = current
        let end = current.revision + changes
        while current.revision < end {
            fixture.clock.advance(by: .milliseconds(Int.random(in: 0...50, using: &generator)))
            let scene = scenes[Int.random(in: 0..<3, using: &generator)]
            let top = current.window.topViewController.id
            let operations: [Operation] = [
                .push(scene), .push(scene), .pop, .popToRoot,
                .setRootViewController(.instance(top)),
                .batch([.push(scene), .pop, .push("detail")]),
                .setViewControllers([.instance(top), .scene(scene, parameters: [:])]),
                .update(
                    top, ViewControllerChanges(title: .some("title \(current.revision)"))),
                .open(.path("/detail")),
            ]
            let operation = operations[Int.random(in: 0..<operations.count, using: &generator)]
            let isAnimated = Bool.random(using: &generator)
            current =
                try await session.perform(operation, animated: isAnimated).value.session
            revisions[current.revision] = current
        }
        return revisions
    }

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
        let revisions = try await walk(session, changes: 300, fixture)
        try await expect(session, hasRevisions: revisions)
    }

    @Test("Large changes have a complete state often, so that few of them are repeated")
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

    @Test("A session that is stored and loaded again and again keeps its history")
    func eviction() async throws {
        let fixture = try Fixture(.withoutLogin())
        let (opened, token) = try await fixture.directory.opened()
        var revisions: [Int: SessionState] = [:]
        for round in 0..<6 {
            let session = try #require(
                try await fixture.restarted().session(opened.id, token: token.hash))
            let walked = try await walk(session, changes: 30, fixture, seed: UInt64(round))
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
        let revisions = try await walk(session, changes: 250, fixture)
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

    @Test("A request id and the time of a change are recorded")
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
        let revisions = try await walk(session, changes: 400, fixture)
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

    @Test("Without a history only the present is there")
    func off() async throws {
        let fixture = try Fixture(.withoutLogin(), historyRetention: 0)
        let session = try await fixture.open()
        let revisions = try await walk(session, changes: 5, fixture)
        try await expect(session, hasRevisions: revisions.filter { $0.key == 6 })
        await #expect(throws: SessionError.revisionGone(oldest: 6)) {
            _ = try await session.history.state(at: 5)
        }
        #expect(try await session.history.page(after: 6, limit: 9).changes.isEmpty)
    }

    @Test("A history that was off for some changes has those that are still stored")
    func offForAWhile() async throws {
        let fixture = try Fixture(.withoutLogin())
        let (opened, token) = try await fixture.directory.opened()
        func session(retention: Int) async throws -> Session {
            let service = fixture.restartedService(historyRetention: retention)
            return try #require(
                try await SessionDirectory(service).session(opened.id, token: token.hash))
        }
        var revisions = try await walk(session(retention: 100), changes: 5, fixture)
        revisions.merge(try await walk(session(retention: 0), changes: 5, fixture)) { $1 }
        let session = try await session(retention: 100)
        revisions.merge(try await walk(session, changes: 5, fixture)) { $1 }
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
        "A damaged row of the log is an error of the history alone, and goes on behind the damage")
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

    @Test("A revision that the session has not reached is not found")
    func future() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        await #expect(throws: SessionError.revisionNotFound(present: 1)) {
            _ = try await session.history.state(at: 2)
        }
        #expect(try await session.history.state(at: 1).revision == 1)
    }

    @Test("A storyboard without a scene of the session is a change, and what was before is gone")
    func otherApp() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        _ = try await session.push("detail")
        _ = try await session.push("settings")
        let (opened, token) = (try await session.record(), session.tokenHash)
        let later = try #require(
            try await fixture.restarted(.withLogin()).session(opened.id, token: token))
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

    @Test("A new start as the first change is in the history, with the state before it")
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

    @Test("The last revision before a new start can be seen once the storyboard fits it again")
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

    @Test("Nobody sees a revision of a log-in whose credential is revoked")
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

    @Test("A fall-back to the login root is recorded")
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
    }

    // MARK: Forks

    @Test("A fork at any revision equals the session as it was")
    func forks() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let revisions = try await walk(session, changes: 120, fixture)
        for revision in stride(from: 1, through: 121, by: 8) {
            let fork = try await fixture.directory.fork(session, at: revision).value
            let expected = try #require(revisions[revision]?.window)
            #expect(fork.session.window == expected.forked())
            #expect(fork.session.id != session.id)
            #expect(fork.session.revision == 1)
            let forked = try #require(
                try await fixture.restarted().session(
                    fork.session.id, token: fork.token.hash))
            let change = try await forked.push("detail")
            #expect(change.outcome.events.first?.seq == 1)
            #expect(try await forked.history.state(at: 1).window == expected.forked())
        }
        #expect(try await session.record().revision == 121)
    }

    @Test("A fork is logged in through the same credential, and not with a revoked one")
    func forkOfLogIn() async throws {
        let fixture = try Fixture(.withLogin())
        let session = try await fixture.open()
        _ = try await session.signUp("ada", "correct horse battery")
        _ = try await session.push("detail")
        let fork = try await fixture.directory.fork(session, at: 2).value
        #expect(fork.session.window.auth == .loggedIn(username: "ada"))
        #expect(fork.session.credential == (try await session.record()).credential)
        #expect(try await fixture.directory.fork(session, at: nil).value.session.scenes.count == 2)
        _ = try await session.perform(ChangeRequest(.logOut))
        await #expect(throws: SessionError.credentialRefused(.revoked)) {
            _ = try await fixture.directory.fork(session, at: 2)
        }
        let forked = try #require(
            try await fixture.directory.session(fork.session.id, token: fork.token.hash))
        #expect(try await forked.record().window.auth == .loggedOut)
    }
}
