import TestSupport
import Testing

@testable import NavigationRules

/// A strict session accepts what its taps list, and the few other things that a user can do.
@Suite struct StrictSessionTests {
    private static let settings = PropertyTests.settings.filter(\.containers)

    /// All runs walk 48,000 steps: 6 settings × 40 runs × 200 steps.
    @Test(
        "A strict session accepts exactly the taps that it lists and other actions of a user",
        arguments: settings)
    func acceptsTaps(_ setting: PropertyTests.Setting) throws {
        let app = try TestApp.containers(
            login: setting.login, tabs: setting.tabs, segments: setting.segments,
            guests: setting.guests, isStrict: true)
        for seed in TestRun.seeds(6, nightly: 40) {
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
                    try #require(window == before, "seed \(seed)")
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
            return .tap(TapControl(tap))
        }
        if seed % 12 == 0 { return Operation(LogIn(username: "ada", isSignUp: seed % 24 == 0)) }
        return RandomOperation.make(
            seed: seed, for: window, seen: window.allViewControllers.map(\.id), in: app
        ).operation
    }

    /// Whether a user can try the operation now. It may be refused for another reason.
    private static func isUserAction(
        _ operation: Operation, _ window: Window, _ app: App
    ) -> Bool {
        let taps = window.taps(in: app)
        if let onStack = operation.base as? any StackOperation, onStack.navigationController != nil
        {
            return false
        }
        switch operation.base {
        case is TapControl, is Back, is SwipeBack, is SwipeDown, is TapTab, is Open, is LogOut:
            return true
        case let logIn as LogIn:
            return window.isLoggedIn
                || window.topViewController.scene.submit == logIn.submission
        case let select as SelectRow:
            return taps.contains { $0.place == .row && $0.index == select.row }
                || !(0..<window.numberOfRows(of: window.topViewController)).contains(select.row)
        case is SelectSegment: return taps.contains { $0.place == .segment }
        case let segue as PerformSegue:
            return segue.from == nil && taps.contains { $0.segue == segue.identifier }
        case let batch as Batch:
            var window = window
            for operation in batch.operations.map(\.operation) {
                if !isUserAction(operation, window, app) { return false }
                let pending = window.pending
                // Refused for another reason, before the rest is looked at. A guest is not asked to
                // log in in a batch, but refused.
                if (try? window.perform(operation, animated: true, in: app)) == nil
                    || window.auth == .guest && window.pending != nil && window.pending != pending
                {
                    return true
                }
            }
            return true
        default: return false
        }
    }
}

extension NavigationError {
    /// The reason inside of a batch.
    fileprivate var reason: NavigationError {
        if case .inBatch(_, _, let error) = self { error.reason } else { self }
    }

    fileprivate var isNotAUserAction: Bool {
        code == .notAUserAction
    }
}
