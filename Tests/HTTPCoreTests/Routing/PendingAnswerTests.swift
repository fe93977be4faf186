import Synchronization
import Testing

@testable import HTTPCore

@Suite("An answer that is not there yet")
struct PendingAnswerTests {
    private let pending = PendingAnswer()
    private let taken = Taken()

    private final class Taken: Sendable {
        private let values = Mutex<[Int]>([])

        var all: [Int] { values.withLock { $0 } }

        @Sendable func note(_ answer: PendingAnswer.Value) {
            guard case .success(let response) = answer else { return }
            values.withLock { $0.append(response.status.code) }
        }
    }

    private func answer(_ code: Int) -> PendingAnswer.Value { .success(Response(Status(code))) }

    @Test("Who asks first gets it when it comes")
    func asked() {
        pending.take(taken.note)
        #expect(taken.all.isEmpty)
        pending.bring(answer(7))
        #expect(taken.all == [7])
    }

    @Test("Who asks later gets it at once")
    func brought() {
        pending.bring(answer(7))
        #expect(taken.all.isEmpty)
        pending.take(taken.note)
        #expect(taken.all == [7])
    }

    @Test("Whoever comes first, it is given once")
    func race() async {
        for number in 0..<1000 {
            let pending = PendingAnswer()
            await withTaskGroup { group in
                group.addTask { pending.bring(answer(number)) }
                group.addTask { pending.take(taken.note) }
            }
        }
        #expect(taken.all == Array(0..<1000))
    }
}
