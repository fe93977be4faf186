import Foundation
import Testing

@testable import WaypostCore

@Suite("Threads for work in the background")
struct BackgroundThreadsTests {
    @Test("Work in the background has the lowest priority, and other work keeps its own")
    func priority() async throws {
        let threads = BackgroundThreads(count: 1, limits: .init(total: .max))
        let here = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        let there = try await threads.run(of: .init(client: nil, account: nil)) {
            getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        }
        #expect(there == 19)
        #expect(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) == here)
    }
}
