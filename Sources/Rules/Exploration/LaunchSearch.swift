import NavigationRules

/// The shortest ways of a user from the launch of an app to its scenes.
///
/// A shortest way from the launch pops nothing, so that one exploration of the heads finds the ways
/// to all scenes. `PathSearch` begins at other windows, and takes much longer to prove that there is
/// no way.
package struct LaunchSearch {
    private let exploration: Exploration
    private let unknownScenes: Set<Scene.Name>

    /// Explores the app.
    /// - Parameter actions: the actions of which a way may consist.
    package init(_ app: App, _ limits: Exploration.Limits, actions: Exploration.Actions = .ofUser) {
        var limits = limits
        limits.actions = actions
        var exploration = Exploration(app, limits)
        exploration.reachAll()
        self.exploration = exploration
        unknownScenes = exploration.unknownScenes
    }

    /// Returns the shortest way to a scene.
    package func answer(to scene: Scene.Name) -> PathSearch.Answer {
        guard let head = exploration.firstOfScene[scene] else {
            return unknownScenes.contains(scene)
                ? .unknown : .none(reached: exploration.firstOfScene.keys.sorted())
        }
        let path = exploration.path(to: head)
        guard let end = exploration.window(after: path) else { return .unknown }
        var names = Usernames(isStrict: exploration.app.storyboard.isStrict)
        let steps = names.steps(path, exploration)
        return .path(
            PathSearch.Way(
                accounts: names.accounts, steps: steps, check: exploration.expectation(of: end),
                isShortest: path.count < 2
                    || exploration.hasLeftOutRows.isEmpty && exploration.untriedLinks.isEmpty))
    }
}
