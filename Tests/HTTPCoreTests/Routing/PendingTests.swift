import Synchronization
import Testing

@testable import HTTPCore

@Suite("What is not there yet")
struct PendingTests {
    private let pending = Pending<Int>()
    private let taken = Taken()

    private final class Taken: Sendable {
        private let values = Mutex<[Int]>([])

        var all: [Int] { values.withLock { $0 } }

        @Sendable func note(_ value: Int) { values.withLock { $0.append(value) } }
    }

    @Test("Who asks first gets it when it comes")
    func asked() {
        pending.take(taken.note)
        #expect(taken.all.isEmpty)
        pending.bring(7)
        #expect(taken.all == [7])
    }

    @Test("Who asks later gets it at once")
    func brought() {
        pending.bring(7)
        #expect(taken.all.isEmpty)
        pending.take(taken.note)
        #expect(taken.all == [7])
    }

    @Test("Whoever comes first, it is given once")
    func race() async {
        for number in 0..<1000 {
            let pending = Pending<Int>()
            await withTaskGroup { group in
                group.addTask { pending.bring(number) }
                group.addTask { pending.take(taken.note) }
            }
        }
        #expect(taken.all == Array(0..<1000))
    }
}
