import Synchronization
import TestSupport
import Testing

@testable import Sessions

@Suite("Locks of keys", .timeLimit(.minutes(10)))
struct KeyedLockTests {
    @Test(
        "Tasks get the lock of a key in the order of their calls, and that of another key at once")
    func order() async {
        let lock = KeyedLock<String>()
        let gate = Gate()
        let order = Mutex<[Int]>([])
        var tasks: [Task<Void, Never>] = []
        for number in 0..<4 {
            tasks.append(
                Task.immediate { @Sendable in
                    await lock.withLock("one") {
                        order.withLock { $0.append(number) }
                        await gate.pass()
                    }
                })
        }
        await lock.withLock("other") { order.withLock { $0.append(9) } }
        #expect(order.withLock { $0 } == [0, 9])
        gate.open()
        for task in tasks { await task.value }
        #expect(order.withLock { $0 } == [0, 9, 1, 2, 3])
    }
}
