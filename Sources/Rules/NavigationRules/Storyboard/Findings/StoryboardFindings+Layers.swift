/// The findings about layers: those that a segue cannot dismiss, and those that users cannot leave.
extension StoryboardFindings {
    mutating func findDismissals(of scene: Scene, at keyPath: String) {
        let places = reach[scene]
        guard !places.isDisjoint(with: .inRootLayer) else { return }
        let pusher = reach.pushers[scene.name]
        for (index, segue) in scene.segues.enumerated() where segue.action == .dismiss {
            let at = "\(keyPath).segues[\(index)].kind"
            if places.isDisjoint(with: .inPresentedLayer) {
                report(
                    at,
                    "\(scene.name) is in the root layer only, which is never dismissed: present "
                        + "the scene, or use unwind")
            } else {
                warn(
                    at,
                    "refused in the root layer"
                        + (pusher.map { ", where \($0) pushes it" } ?? "") + "; use unwind")
            }
        }
    }

    /// Finds the segues of a scene that present a layer which its user cannot leave.
    mutating func findTraps(of scene: Scene, at keyPath: String) {
        let isBare = !reach[scene].isDisjoint(with: .bare)
        for (index, segue) in scene.segues.enumerated() {
            guard let target = storyboard.target(of: segue, from: scene),
                storyboard.presents(segue, fromBare: isBare)
            else { continue }
            var style: PresentationStyle?
            if case .present(_, let own) = segue.action { style = own }
            guard !canBeSwipedDown(target, style: style ?? target.presentation ?? .automatic),
                !ways.dismisses(target), !ways.unwinds(from: target, to: scene)
            else { continue }
            warn(
                "\(keyPath).segues[\(index)]",
                "who gets to \(target.name) from \(scene.name) cannot leave it: "
                    + missingWay(from: target, to: scene))
        }
    }

    /// Finds out whether guests who are asked to log in can go back.
    mutating func findTrapOfGuests() {
        guard storyboard.hasGuests, let loginScene = storyboard.loginScene,
            !canBeSwipedDown(loginScene, style: loginScene.presentation ?? .pageSheet),
            !ways.dismisses(loginScene, isWrapped: true)
        else { return }
        let presenter = scenes.first { scene in
            scene.access == .everyone && !reach[scene].isEmpty
                && !ways.unwinds(from: loginScene, to: scene)
        }
        guard let presenter else { return }
        warn(
            "loginScene",
            "a guest who is asked to log in cannot go back: "
                + missingWay(from: loginScene, to: presenter))
    }

    /// Returns whether a user can swipe down a layer, as it is when it is presented. If it has tabs,
    /// one of them suffices.
    private func canBeSwipedDown(_ scene: Scene, style: PresentationStyle) -> Bool {
        guard style.resolved(in: storyboard.uikit).canBeSwipedDown,
            !(scene.kind.isContainer && scene.isModalInPresentation)
        else { return false }
        return storyboard.roots(of: scene).contains { !$0.scene.isModalInPresentation }
    }

    /// Returns what is missing so that users can get from the layer of `scene` to `presenter`.
    private func missingWay(from scene: Scene, to presenter: Scene) -> String {
        guard let action = ways.performed(from: scene).min() else {
            return "it needs a segue of the kind dismiss, or one that unwinds to an action of "
                + presenter.name
        }
        let others = scenes.filter { $0.unwindActions.contains(action) }.map(\.name)
        let listed = others.prefix(3).joined(separator: " and ")
        return "\(presenter.name) does not declare \(action) (\(listed) "
            + (others.count == 1 ? "does)" : "do)")
    }
}
