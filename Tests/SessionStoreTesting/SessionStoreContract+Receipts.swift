import Accounts
import Sessions
import Testing

extension SessionStoreContract {
    static let receiptChecks = [
        Check("A receipt is read as it was") { try await $0.receipt() },
        Check("A later receipt of the same id takes the place of the first") {
            try await $0.laterReceipt()
        },
    ]

    private func receipt() async throws {
        let store = try await emptyStore()
        let answers: [[UInt8]] = [
            [], [0], Array(0...255), (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) },
        ]
        let receipts = answers.enumerated().map { number, answer in
            Sample.receipt("\(number)", answer: answer)
        }
        for receipt in receipts {
            var commit = Commit()
            commit.receipt = receipt
            try await store.commit(commit)
        }
        for handle in try await handles(of: store) {
            for receipt in receipts { #expect(try await handle.receipt(receipt.id) == receipt) }
            #expect(try await handle.receipt(Sample.hash("unknown")) == nil)
        }
    }

    /// It comes when the first has expired, and nothing has purged it yet.
    private func laterReceipt() async throws {
        let store = try await emptyStore()
        let first = Sample.receipt("key", answer: [1], expiresAt: Sample.now)
        let second = Receipt(
            id: first.id, fingerprint: Sample.hash("another request"), sealedAnswer: [2, 2],
            expiresAt: Sample.now + .seconds(1))
        for receipt in [first, second] {
            var commit = Commit()
            commit.receipt = receipt
            try await store.commit(commit)
            for handle in try await handles(of: store) {
                #expect(try await handle.receipt(first.id) == receipt)
            }
        }
    }
}
