import Navigation

/// Finds the problems that show only at the end of the exploration: dead ends, and scenes, segues
/// and tabs that no user can reach.
extension Exploration {
    /// Adds an error to `findings` for each scene in which a user can get stuck. A user is stuck if
    /// no sequence of taps and swipes leads back to a window with one view controller on its stack
    /// and nothing presented.
    ///
    /// A state in which the exploration did not try everything may lead back, and so may each state
    /// before it. None of them is an error.
    mutating func findDeadEnds() {
        let safe = statesLeading(to: roots)
        let perhaps =
            unexplored.isEmpty && shortened.isEmpty
            ? safe : statesLeading(to: roots + unexplored + shortened)
        for index in states.indices where !safe[index] {
            let scene = states[index].scene.name
            if !perhaps[index] {
                findings.add(
                    .error, "dead-end", scene,
                    "\(scene) is a dead end: no tap leads back to a root")
            } else if stops.isEmpty {
                findings.add(
                    .unknown, "dead-end", scene,
                    "\(scene) is a dead end unless a row after the first \(limits.rows ?? 0) leads "
                        + "back to a root")
            }
        }
    }

    /// Returns for each state whether gestures lead from it to one of the states in `targets`.
    private func statesLeading(to targets: [Int32]) -> [Bool] {
        var before: [[Int32]] = Array(repeating: [], count: states.count)
        for (from, to) in sources { before[Int(to)].append(from) }
        var leads = Array(repeating: false, count: states.count)
        var waiting = targets
        for index in targets { leads[Int(index)] = true }
        while let index = waiting.popLast() {
            for from in before[Int(index)] where !leads[Int(from)] {
                leads[Int(from)] = true
                waiting.append(from)
            }
        }
        return leads
    }

    /// Adds a finding for each scene, tab and segue that the exploration has not reached. If the
    /// exploration stopped at a limit, it is unknown whether a user can reach them.
    mutating func findUnused() {
        let linked = app.storyboard.reachableScenes
        let isStopped = !stops.isEmpty
        for scene in app.storyboard.scenes.values.sorted(by: { $0.name < $1.name }) {
            if scene.kind.isContainer {
                for index in scene.tabs.indices where isShown(scene) {
                    let name = "\(scene.name).\(index)"
                    guard !tabs.contains(name) else { continue }
                    let tab = "the tab \(name)"
                    findings.add(
                        isStopped ? .unknown : .warning, "unreachable-tab", name,
                        isStopped ? "\(tab) was not reached" : "no user can reach \(tab)")
                }
                continue
            }
            guard firstOfScene[scene.name] != nil else {
                let isUnknown = (isStopped || !shortened.isEmpty) && linked.contains(scene.name)
                findings.add(
                    isUnknown ? .unknown : .error, "unreachable-scene", scene.name,
                    isUnknown
                        ? "the scene \(scene.name) was not reached"
                        : "no user can reach the scene \(scene.name)")
                continue
            }
            for segue in scene.segues where segue.action != .custom {
                let name = "\(scene.name).\(segue.identifier)"
                guard firstOfSegue[name] == nil else { continue }
                findings.add(
                    isStopped ? .unknown : .warning, "unreachable-segue", name,
                    isStopped
                        ? "the segue \(segue.identifier) of \(scene.name) had no effect yet"
                        : "the segue \(segue.identifier) of \(scene.name) has no effect here")
            }
        }
    }

    private func isShown(_ scene: Scene) -> Bool {
        tabs.contains { $0.hasPrefix("\(scene.name).") }
    }
}
