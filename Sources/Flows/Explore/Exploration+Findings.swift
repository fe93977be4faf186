import Navigation

/// Finds the problems that show only at the end of the exploration: dead ends, and scenes, segues
/// and tabs that no user can reach.
extension Exploration {
    /// Adds an error to `findings` for each scene in which a user can get stuck. A user is stuck if
    /// no sequence of taps and swipes leads back to a window with one view controller on its stack
    /// and nothing presented.
    mutating func findDeadEnds() {
        var before: [[Int32]] = Array(repeating: [], count: states.count)
        for (from, to) in sources { before[Int(to)].append(from) }
        var isSafe = Array(repeating: false, count: states.count)
        var stack = roots
        for index in roots { isSafe[Int(index)] = true }
        while let index = stack.popLast() {
            for from in before[Int(index)] where !isSafe[Int(from)] {
                isSafe[Int(from)] = true
                stack.append(from)
            }
        }
        for index in states.indices where !isSafe[index] {
            let scene = window(of: index).topViewController.scene.name
            findings.add(
                .error, "dead-end", scene,
                "\(scene) is a dead end: no tap leads back to a root")
        }
    }

    mutating func findUnused() {
        for scene in app.storyboard.scenes.values.sorted(by: { $0.name < $1.name }) {
            if scene.kind.isContainer {
                for index in scene.tabs.indices where isShown(scene) {
                    let name = "\(scene.name).\(index)"
                    if !tabs.contains(name) {
                        findings.add(
                            .warning, "unreachable-tab", name, "no user can reach the tab \(name)")
                    }
                }
                continue
            }
            guard firstOfScene[scene.name] != nil else {
                findings.add(
                    .error, "unreachable-scene", scene.name,
                    "no user can reach the scene \(scene.name)"
                        + (isCut ? " within --depth and --states" : ""))
                continue
            }
            for segue in scene.segues where segue.action != .custom {
                let name = "\(scene.name).\(segue.identifier)"
                if firstOfSegue[name] == nil {
                    findings.add(
                        .warning, "unreachable-segue", name,
                        "the segue \(segue.identifier) of \(scene.name) has no effect here")
                }
            }
        }
    }

    private func isShown(_ scene: Scene) -> Bool {
        tabs.contains { $0.hasPrefix("\(scene.name).") }
    }
}
