import NavigationRules
import TestSupport
import Testing

@testable import Exploration

/// Compares what `check` says about random apps, which follows from their storyboards alone, with
/// explorations, which perform the actions.
@Suite struct CheckAgainstExplorationTests {
    @Test("The check agrees with explorations about scenes and about segues between the roots")
    func compare() throws {
        for seed in TestRun.seeds(150, nightly: 10_000) {
            var limits = Exploration.Limits()
            limits.windows = 500
            let app = try RandomStoryboard.app(seed: seed)
            var exploration = Exploration(app, limits)
            let report = exploration.run()
            let storyboard = app.storyboard

            let missed = Set(exploration.firstOfScene.keys)
                .subtracting(storyboard.reachableScenes)
            #expect(missed == [], "seed \(seed): scenes that only the exploration reaches")
            if storyboard.isSimple, !report.findings.contains(where: { $0.kind == .unreachableTab })
            {
                let unreachable = report.findings.filter {
                    $0.kind == .unreachableScene && $0.severity == .error
                }
                let wrong = Set(unreachable.compactMap(\.scene))
                    .intersection(storyboard.reachableScenes)
                #expect(wrong == [], "seed \(seed): scenes that only the check reaches")
            }
            guard !storyboard.hasGuests else { continue }
            let named = storyboard.seguesBetweenRoots
            let used = named.intersection(exploration.firstOfSegue.keys)
            #expect(used == [], "seed \(seed): segues that only the check says are refused")
            let unnamed = exploration.refusals.filter(\.value.isOfOtherRoot).keys
                .filter { !named.contains($0) }
            #expect(unnamed == [], "seed \(seed): segues that only the exploration sees refused")
        }
    }
}

extension Exploration.Refusal {
    /// Whether the action leads to the other root of an app without guests.
    fileprivate var isOfOtherRoot: Bool {
        switch error {
        case .loginRequired, .alreadyLoggedIn: true
        default: false
        }
    }
}

extension Storyboard {
    /// Whether each scene that the check reaches can be on top. Guests and flags can prevent it, a
    /// `parent` whose link hides the back button, and a log-in without a form.
    fileprivate var isSimple: Bool {
        !hasGuests && flags.names.isEmpty && scenes.values.allSatisfy { $0.parent == nil }
            && !warnings.contains { $0.keyPath == "loginScene" }
    }

    /// The segues of which a warning says that they lead to the other root.
    fileprivate var seguesBetweenRoots: Set<String> {
        let places = Set(
            warnings.filter { $0.reason.hasPrefix("always refused") }.map(\.keyPath))
        return Set(
            scenes.values.flatMap { scene in
                scene.segues.enumerated()
                    .filter { places.contains("scenes.\(scene.name).segues[\($0.offset)]") }
                    .map { scene.key(of: $0.element) }
            })
    }
}
