import Testing
import WaypostCore

@testable import Sessions

@Suite("Revocation log")
struct RevocationLogTests {
    private let log = RevocationLog()
    private let hashes = (0..<300).map { SecretHash(of: "\($0)") }

    @Test("A reader at the log's position has missed no revocation")
    func upToDate() {
        #expect(log.hasRevoked(hashes[0], since: log.position) == false)
        log.note(hashes[0])
        #expect(log.hasRevoked(hashes[0], since: log.position) == false)
        log.noteMany()
        #expect(log.hasRevoked(hashes[0], since: log.position) == false)
    }

    @Test("The log reports exactly the credentials revoked after a position")
    func since() {
        log.note(hashes[0])
        let position = log.position
        for hash in hashes[1...10] { log.note(hash) }
        for (number, hash) in hashes[...20].enumerated() {
            #expect(log.hasRevoked(hash, since: position) == (1...10).contains(number))
        }
        #expect(log.hasRevoked(hashes[5], since: position + 5) == false)
        #expect(log.hasRevoked(hashes[6], since: position + 5) == true)
    }

    @Test("The log reaches 128 revocations back; readers from before must ask the store")
    func capacity() {
        let position = log.position
        for hash in hashes[..<128] { log.note(hash) }
        #expect(log.hasRevoked(hashes[0], since: position) == true)
        #expect(log.hasRevoked(hashes[200], since: position) == false)
        log.note(hashes[128])
        #expect(log.hasRevoked(hashes[0], since: position) == nil)
        #expect(log.hasRevoked(hashes[128], since: position) == nil)
        #expect(log.hasRevoked(hashes[1], since: position + 1) == true)
        #expect(log.hasRevoked(hashes[0], since: position + 1) == false)
    }

    @Test("After a mass revocation readers from before must ask the store")
    func many() {
        log.note(hashes[0])
        let before = log.position
        log.noteMany()
        let after = log.position
        #expect(log.hasRevoked(hashes[0], since: before) == nil)
        log.note(hashes[1])
        #expect(log.hasRevoked(hashes[1], since: before) == nil)
        #expect(log.hasRevoked(hashes[1], since: after) == true)
        #expect(log.hasRevoked(hashes[0], since: after) == false)
    }

    @Test("A reader at the unknown position must ask the store")
    func nowhere() {
        #expect(log.hasRevoked(hashes[0], since: RevocationLog.unknown) == nil)
        log.note(hashes[0])
        #expect(log.hasRevoked(hashes[0], since: RevocationLog.unknown) == nil)
        #expect(log.position != RevocationLog.unknown)
    }

    @Test("Concurrent revocations are all found")
    func concurrent() async {
        let position = log.position
        await withTaskGroup(of: Void.self) { group in
            for hash in hashes[..<100] { group.addTask { log.note(hash) } }
        }
        #expect(log.position == position + 100)
        #expect(hashes[..<100].allSatisfy { log.hasRevoked($0, since: position) == true })
    }
}
