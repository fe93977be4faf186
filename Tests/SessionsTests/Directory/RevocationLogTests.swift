import Testing
import WaypostCore

@testable import Sessions

@Suite("Revocation log")
struct RevocationLogTests {
    private let log = RevocationLog()
    private let ann: Username
    private let hashes = (0..<300).map { SecretHash(of: "\($0)") }

    init() throws { ann = try Username("ann") }

    @Test("A reader at the log's position has missed no revocation")
    func upToDate() {
        #expect(log.hasRevoked(hashes[0], of: ann, since: log.position) == false)
        log.note(.credential(hashes[0], of: ann))
        #expect(log.hasRevoked(hashes[0], of: ann, since: log.position) == false)
        log.note(.all(of: ann, except: nil))
        #expect(log.hasRevoked(hashes[0], of: ann, since: log.position) == false)
    }

    @Test("The log reports exactly the credentials revoked after a position")
    func since() {
        log.note(.credential(hashes[0], of: ann))
        let position = log.position
        for hash in hashes[1...10] { log.note(.credential(hash, of: ann)) }
        for (number, hash) in hashes[...20].enumerated() {
            #expect(log.hasRevoked(hash, of: ann, since: position) == (1...10).contains(number))
        }
        #expect(log.hasRevoked(hashes[5], of: ann, since: position + 5) == false)
        #expect(log.hasRevoked(hashes[6], of: ann, since: position + 5) == true)
    }

    @Test("The log reaches 128 revocations back; readers from before must ask the store")
    func capacity() {
        let position = log.position
        for hash in hashes[..<128] { log.note(.credential(hash, of: ann)) }
        #expect(log.hasRevoked(hashes[0], of: ann, since: position) == true)
        #expect(log.hasRevoked(hashes[200], of: ann, since: position) == false)
        log.note(.credential(hashes[128], of: ann))
        #expect(log.hasRevoked(hashes[0], of: ann, since: position) == nil)
        #expect(log.hasRevoked(hashes[128], of: ann, since: position) == nil)
        #expect(log.hasRevoked(hashes[1], of: ann, since: position + 1) == true)
        #expect(log.hasRevoked(hashes[0], of: ann, since: position + 1) == false)
    }

    @Test("After a mass revocation readers from before must ask the store")
    func many() {
        log.note(.credential(hashes[0], of: ann))
        let before = log.position
        log.note(.all(of: ann, except: nil))
        let after = log.position
        #expect(log.hasRevoked(hashes[0], of: ann, since: before) == nil)
        log.note(.credential(hashes[1], of: ann))
        #expect(log.hasRevoked(hashes[1], of: ann, since: before) == true)
        #expect(log.hasRevoked(hashes[1], of: ann, since: after) == true)
        #expect(log.hasRevoked(hashes[0], of: ann, since: after) == false)
    }

    @Test("A mass revocation concerns one account, except for one of its credentials")
    func ofOneAccount() throws {
        let before = log.position
        log.note(.all(of: ann, except: hashes[0]))
        #expect(log.hasRevoked(hashes[0], of: ann, since: before) == false)
        #expect(log.hasRevoked(hashes[1], of: ann, since: before) == nil)
        #expect(log.hasRevoked(hashes[1], of: try Username("ANN"), since: before) == nil)
        #expect(log.hasRevoked(hashes[1], of: nil, since: before) == nil)
        #expect(log.hasRevoked(hashes[1], of: try Username("bob"), since: before) == false)
    }

    @Test("The log does not record tokens for other devices")
    func tokens() {
        let before = log.position
        log.note(.token(hashes[0], of: ann))
        #expect(log.position == before)
        #expect(log.hasRevoked(hashes[0], of: ann, since: before) == false)
    }

    @Test("A reader at the unknown position must ask the store")
    func nowhere() {
        #expect(log.hasRevoked(hashes[0], of: ann, since: RevocationLog.unknown) == nil)
        log.note(.credential(hashes[0], of: ann))
        #expect(log.hasRevoked(hashes[0], of: ann, since: RevocationLog.unknown) == nil)
        #expect(log.position != RevocationLog.unknown)
    }

    @Test("Concurrent revocations are all found")
    func concurrent() async {
        let position = log.position
        await withTaskGroup(of: Void.self) { group in
            for hash in hashes[..<100] { group.addTask { log.note(.credential(hash, of: ann)) } }
        }
        #expect(log.position == position + 100)
        #expect(hashes[..<100].allSatisfy { log.hasRevoked($0, of: ann, since: position) == true })
    }
}
