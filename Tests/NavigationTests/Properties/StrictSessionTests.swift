import TestSupport
import Testing

@testable import Navigation

/// A strict session accepts what its taps list, and the few other things that a user can do.
@Suite struct StrictSessionTests {
    private static let settings = PropertyTests.settings.filter(\.containers)

    /// This test walks 32,000 steps: 4 settings × 40 runs × 200 steps.
    @Test(
        "A strict session accepts exactly the taps that it lists and other actions of a user",
        arguments: settings)
    func acceptsTaps(_ setting: PropertyTests.Setting) throws {
        let app = try TestApp.containers(
            login: setting.login, tabs: setting.tabs, segments: setting.segments, isStrict: true)
        for seed in UInt64(1)...40 {
            var random = SeededGenerator(seed: seed)
            var window = Window.launch(app, lifecycle: setting.lifecycle).window
            #expect(window.isStrict)
            for _ in 0..<200 {
                let operation = Self.operation(&random, window, app)
                let isAccepted = Self.isUserAction(operation, window, app)
                let before = window
                do {
                    _ = try window.perform(operation, animated: true, in: app)
                    try #require(isAccepted, "seed \(seed): \(operation) was accepted")
                } catch let error as NavigationError {
                    #expect(window == before, "seed \(seed)")
                    let isRefused = error.reason.isNotAUserAction
                    try #require(isRefused != isAccepted, "seed \(seed): \(operation): \(error)")
                }
            }
        }
    }

    /// Mostly a tap that is offered, sometimes any operation.
    private static func operation(
        _ random: inout SeededGenerator, _ window: Window, _ app: App
    ) -> Operation {
        let seed = random.next()
        if seed % 3 > 0, let tap = window.taps(in: app).randomElement(using: &random) {
            return .tap(.index(tap.index, in: tap.place))
        }
        if seed % 12 == 0 { return .logIn(username: "ada") }
        return RandomOperation.make(
            seed: seed, for: window, seen: window.allViewControllers.map(\.id), in: app
        ).operation
    }

    /// Whether a user can try the operation now. It may be refused for another reason.
    private static func isUserAction(
        _ operation: Operation, _ window: Window, _ app: App
    ) -> Bool {
        let taps = window.taps(in: app)
        switch operation {
        case .tap, .back, .swipeDown, .tapTab, .open, .logIn, .logOut: return true
        case .select(let row):
            return taps.contains { $0.place == .row && $0.index == row }
                || !(0..<window.topViewController.numberOfRows).contains(row)
        case .selectSegment: return taps.contains { $0.place == .segment }
        case .segue(let identifier, _, let source):
            return source == nil && taps.contains { $0.segue == identifier }
        case .batch(let operations):
            var window = window
            for operation in operations {
                if !isUserAction(operation, window, app) { return false }
                // Refused for another reason, before the rest is looked at.
                if (try? window.perform(operation, animated: true, in: app)) == nil { return true }
            }
            return true
        default: return false
        }
    }
}

extension NavigationError {
    /// The reason inside of a batch.
    fileprivate var reason: NavigationError {
        if case .inBatch(_, let error) = self { error.reason } else { self }
    }

    fileprivate var isNotAUserAction: Bool {
        if case .notAUserAction = self { true } else { false }
    }
}
