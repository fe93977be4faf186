import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The health of a store", .timeLimit(.minutes(1))) struct StoreHealthTests {
    /// A clock that a test moves.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { time.withLock { $0 } }

        func advance(by duration: Duration) { time.withLock { $0 += duration } }
    }

    private let folder: TemporaryFolder
    private let clock = Clock()
    private let health: StoreHealth

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        for file in [path, path + "-wal"] { try Data().write(to: URL(filePath: file)) }
        health = StoreHealth(path, nil) { [clock] in clock.now }
    }

    @Test("A commit that has not ended for two seconds is a stall until it ends")
    func stall() {
        health.noteStart()
        clock.advance(by: .milliseconds(1999))
        #expect(health.stall == nil)
        clock.advance(by: .milliseconds(1))
        #expect(health.stall?.reason == "a commit has not ended for 2 s")
        // Another commit waits behind it.
        health.noteStart()
        clock.advance(by: .seconds(3))
        #expect(health.stall?.reason == "a commit has not ended for 5 s")
        health.noteEnd(isIdle: false)
        #expect(health.stall == nil)
        clock.advance(by: StoreHealth.patience)
        #expect(health.stall != nil)
        health.noteEnd(isIdle: true)
        clock.advance(by: .seconds(60))
        #expect(health.stall == nil)
    }

    @Test("A store without commits needs a probe after a second, and one at a time")
    func probe() {
        #expect(!health.needsProbe())
        clock.advance(by: .seconds(1))
        #expect(health.needsProbe())
        #expect(!health.needsProbe())
        clock.advance(by: StoreHealth.patience)
        #expect(health.stall != nil)
        #expect(!health.needsProbe())
        health.noteEnd(isIdle: true)
        #expect(health.stall == nil)
        #expect(!health.needsProbe())
        clock.advance(by: .seconds(1))
        health.noteStart()
        #expect(!health.needsProbe())
    }

    @Test("After a full disk a commit that succeeds ends the refusal")
    func fullDisk() {
        let error = health.noteFailedCommit(
            DatabaseError(resultCode: .SQLITE_FULL, message: "no room"))
        #expect(error.isOutcomeUnknown)
        let reason = "a commit failed: SQLITE_FULL (13): no room; make room on the disk"
        #expect(health.refusal?.reason == reason)
        #expect(health.refusal?.isOutcomeUnknown == false)
        #expect(!health.admitsAttempt())
        clock.advance(by: .seconds(1))
        #expect(health.needsProbe())
        #expect(health.admitsAttempt())
        #expect(!health.admitsAttempt())
        clock.advance(by: .seconds(1))
        #expect(health.admitsAttempt())
        health.noteSuccess()
        #expect(health.refusal == nil)
    }

    @Test("A full disk whose next commit fails for another reason needs a restart")
    func failureAfterFullDisk() {
        _ = health.noteFailedCommit(DatabaseError(resultCode: .SQLITE_FULL))
        _ = health.noteFailedCommit(DatabaseError(resultCode: .SQLITE_IOERR_FSYNC))
        clock.advance(by: .seconds(60))
        #expect(!health.admitsAttempt())
        #expect(health.refusal?.reason.hasSuffix("restart the service") == true)
    }

    @Test("After any other failed commit the store refuses all until the service restarts")
    func failedSync() {
        _ = health.noteFailedCommit(
            DatabaseError(resultCode: .SQLITE_IOERR_FSYNC, message: "bad disk"))
        #expect(health.refusal?.reason.hasSuffix("bad disk; restart the service") == true)
        clock.advance(by: .seconds(60))
        #expect(!health.admitsAttempt())
        #expect(!health.needsProbe())
        health.noteSuccess()
        #expect(health.refusal != nil)
    }
}
