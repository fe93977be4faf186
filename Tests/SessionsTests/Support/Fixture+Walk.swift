import NavigationRules
import TestSupport

@testable import Sessions

extension Fixture {
    /// Makes random changes to a session.
    /// - Returns: the session at each of its revisions.
    func walk(
        _ session: Session, changes: Int, seed: UInt64 = 3
    ) async throws -> [Int: SessionState] {
        var generator = SeededGenerator(seed: seed)
        let scenes = ["home", "detail", "settings"]
        var revisions: [Int: SessionState] = [:]
        var current = try await session.record()
        revisions[current.revision] = current
        let end = current.revision + changes
        while current.revision < end {
            clock.advance(by: .milliseconds(Int.random(in: 0...50, using: &generator)))
            let scene = scenes[Int.random(in: 0..<3, using: &generator)]
            let top = current.window.topViewController.id
            let operations: [Operation] = [
                .push(scene), .push(scene), .pop, .popToRoot,
                .setRootViewController(.instance(top)),
                .batch([.push(scene), .pop, .push("detail")]),
                .setViewControllers([.instance(top), .scene(scene, parameters: [:])]),
                .update(
                    top, ViewControllerChanges(title: .some("title \(current.revision)"))),
                .open(.path("/detail")),
            ]
            let operation = operations[Int.random(in: 0..<operations.count, using: &generator)]
            let isAnimated = Bool.random(using: &generator)
            current =
                try await session.perform(operation, animated: isAnimated).value.session
            revisions[current.revision] = current
        }
        return revisions
    }
}
