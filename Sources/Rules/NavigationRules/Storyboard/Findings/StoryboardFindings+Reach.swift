/// The findings about scenes and tabs that no user can reach.
extension StoryboardFindings {
    mutating func findIfUnreachable(_ scene: Scene, at keyPath: String) {
        if scene.access == .login, storyboard.loginScene == nil, !scene.kind.isContainer {
            warn("\(keyPath).access", "belongs to the login root, and the app has no loginScene")
        } else if !reach.names.contains(scene.name) {
            if scene.isShownByCode {
                warn(
                    keyPath,
                    "only code shows this scene (shownByCode): no segue, row, tab or link leads "
                        + "here")
            } else if !shownByCode.contains(scene.name) {
                warn(
                    keyPath, "no user can reach this scene: no segue, row, tab or link leads here")
            }
        } else if let ofMembers, scene.access == .members, !scene.kind.isContainer,
            !ofMembers.contains(scene.name)
        {
            report(
                keyPath,
                "no user can reach this scene: only log-in scenes lead here, and a guest who logs "
                    + "in leaves them")
        }
    }

    /// Finds the segues that are refused because they lead to the other root of an app without guests.
    mutating func findSeguesToOtherRoot(from scene: Scene, at keyPath: String) {
        for (index, segue) in scene.segues.enumerated() {
            guard let name = segue.action.scene,
                storyboard.target(of: segue, from: scene) == nil
            else { continue }
            warn(
                "\(keyPath).segues[\(index)]",
                "always refused: \(name) belongs to the other root (its access differs), which only "
                    + "a log-in or a log-out shows")
        }
    }

    /// Finds the tabs that no tap can select, because the tab bar is hidden in all tabs from which
    /// a user could tap them.
    mutating func findHiddenTabs(of scene: Scene, at keyPath: String) {
        let roots = scene.tabs.map { tab in
            storyboard.scenes[tab.scene].flatMap { storyboard.roots(of: $0).first?.scene }
        }
        let ends = roots.indices.filter { index in
            guard index > 0, let root = roots[index] else { return true }
            return isLinkTarget(root, in: scene)
                || root.unwindActions.contains(where: performedActions.contains)
        }
        guard ends.allSatisfy({ roots[$0]?.hidesBottomBarWhenPushed == true }) else { return }
        for index in roots.indices where !ends.contains(index) && scene.tabs[index].shouldSelect {
            warn(
                "\(keyPath).tabs[\(index)]",
                "no user can reach this tab: the tab bar is hidden where a user could tap it "
                    + "(hidesBottomBarWhenPushed of \(roots[0]?.name ?? "")), and no link or "
                    + "unwind action ends here")
        }
    }

    /// Returns whether links select the tab that begins with `root`.
    private func isLinkTarget(_ root: Scene, in tabBar: Scene) -> Bool {
        chains[root]?.outermost === root && storyboard.rootScene(for: root) === tabBar
            && root.presentation == nil
    }
}
