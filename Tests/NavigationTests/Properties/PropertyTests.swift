import NavigationRules
import TestSupport
import Testing

/// Tests of rules that hold after any operation, on apps with and without login and segments.
@Suite struct PropertyTests {
    struct Setting: Sendable, CustomTestStringConvertible {
        let login: Bool
        let segments: Bool
        let lifecycle: LifecycleOrder
        /// Whether the app has tab bars, layers, segues and controls, and one of its roots has tabs.
        var containers = false
        var tabs = false
        var guests = false

        var testDescription: String {
            "\(login ? "login" : "no login"), \(segments ? "segments" : "one root"), \(lifecycle)"
                + (containers ? ", containers" : "") + (tabs ? ", tabs" : "")
                + (guests ? ", guests" : "")
        }

        func app() throws -> App {
            containers
                ? try TestApp.containers(
                    login: login, tabs: tabs, segments: segments, guests: guests)
                : try TestApp.everything(login: login, segments: segments)
        }
    }

    static let settings = [
        Setting(login: true, segments: true, lifecycle: .forwarded),
        Setting(login: true, segments: false, lifecycle: .native),
        Setting(login: false, segments: true, lifecycle: .native),
        Setting(login: false, segments: false, lifecycle: .forwarded),
        Setting(
            login: true, segments: false, lifecycle: .forwarded, containers: true, tabs: true),
        Setting(
            login: false, segments: false, lifecycle: .native, containers: true, tabs: true),
        Setting(login: false, segments: true, lifecycle: .native, containers: true),
        Setting(login: true, segments: false, lifecycle: .forwarded, containers: true),
        Setting(
            login: true, segments: false, lifecycle: .native, containers: true, tabs: true,
            guests: true),
        Setting(
            login: true, segments: true, lifecycle: .forwarded, containers: true, guests: true),
    ]

    /// All runs carry out 262,500 operations: 10 settings × 125 runs × 210 operations.
    @Test(
        "Random operations follow all navigation rules, with and without login, segments and tabs",
        arguments: settings)
    func randomOperations(_ setting: Setting) throws {
        let app = try setting.app()
        for seed in TestRun.seeds(12, nightly: 125) {
            var random = SeededGenerator(seed: seed)
            let steps = (0..<210).map { _ in random.next() }
            guard Self.violation(of: steps, app, setting) != nil else { continue }
            let shrunk = Self.shrunk(steps) { Self.violation(of: $0, app, setting) != nil }
            Issue.record(
                """
                seed \(seed): \(Self.violation(of: shrunk, app, setting)?.description ?? "")
                \(Self.story(of: shrunk, app, setting))
                """)
            return
        }
    }

    @Test("Shrinking a failing run leaves only the steps that the failure needs") func shrinking() {
        let shrunk = Self.shrunk(Array(1...100)) { $0.contains(17) && $0.contains(59) }
        #expect(shrunk == [17, 59])
    }

    private static func violation(
        of steps: [UInt64], _ app: App, _ setting: Setting
    ) -> RandomRun.Violation? {
        do throws(RandomRun.Violation) {
            var run = try RandomRun(app, lifecycle: setting.lifecycle)
            for step in steps { try run.step(seed: step) }
            return nil
        } catch {
            return error
        }
    }

    private static func story(of steps: [UInt64], _ app: App, _ setting: Setting) -> String {
        guard var run = try? RandomRun(app, lifecycle: setting.lifecycle) else { return "launch" }
        return steps.map { step in
            defer { try? run.step(seed: step) }
            return run.describe(seed: step)
        }.joined(separator: "\n")
    }

    /// Removes pieces of decreasing size, as long as the remaining steps still fail.
    private static func shrunk<Step>(_ steps: [Step], fails: ([Step]) -> Bool) -> [Step] {
        var steps = steps
        var size = max(steps.count / 2, 1)
        while true {
            var start = 0
            var hasShrunk = false
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + size, steps.count))
                if fails(fewer) {
                    steps = fewer
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { return steps }
            size = max(size / 2, 1)
        }
    }
}
