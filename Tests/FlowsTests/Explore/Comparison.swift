import NavigationRules

@testable import Exploration

/// The differences between a report and a walk through all windows within bounds.
struct Comparison {
    let exploration: Exploration
    let report: ExplorationReport
    let bounds: BruteForce.Bounds

    /// Compares within growing bounds. Near its bounds a walk may miss what lies beyond, so a
    /// difference counts only if it stays with larger bounds.
    /// - Returns: nil if there are too many windows.
    static func differences(
        _ exploration: Exploration, _ report: ExplorationReport
    ) -> [String]? {
        var bounds = BruteForce.Bounds()
        var differences: [String]?
        while differences != [], bounds.height < 8 {
            let comparison = Comparison(exploration: exploration, report: report, bounds: bounds)
            guard let found = comparison.differences() else { return nil }
            differences = found
            bounds.height += 1
            bounds.layers += bounds.height % 2
            bounds.windows *= 3
        }
        return differences
    }

    private func differences() -> [String]? {
        var walk = BruteForce(exploration, bounds)
        guard walk.walk() else { return nil }
        return scenes(walk) + segues(walk) + refusals(walk) + deadEnds(walk)
    }

    /// The number of actions after the launch.
    private func length(_ path: [Exploration.Action]) -> Int {
        if case .launch? = path.first { path.count - 1 } else { path.count }
    }

    private func isUnknown(_ kind: Finding.Kind, _ name: String) -> Bool {
        report.findings.contains { finding in
            let names = [finding.scene, finding.part].compactMap(\.self)
            return finding.severity == .unknown && finding.kind == kind
                && names.joined(separator: ".") == name
        }
    }

    private func scenes(_ walk: BruteForce) -> [String] {
        var found: [String] = []
        for (scene, head) in exploration.firstOfScene {
            let path = exploration.path(to: head)
            let end = exploration.window(after: path)?.topViewController.scene.name
            if end != scene { found.append("the flow to \(scene) ends at \(end ?? "a refusal")") }
            if let distance = walk.firstOfScene[scene], distance < length(path) {
                found.append("\(scene): \(length(path)) actions, not \(distance)")
            }
        }
        for scene in walk.firstOfScene.keys
        where exploration.firstOfScene[scene] == nil && !isUnknown(.unreachableScene, scene) {
            found.append("\(scene) can be reached")
        }
        for tab in walk.tabs
        where exploration.firstOfTab[tab] == nil && !isUnknown(.unreachableTab, tab) {
            found.append("the tab \(tab) can be reached")
        }
        return found
    }

    private func segues(_ walk: BruteForce) -> [String] {
        var found: [String] = []
        for (segue, use) in exploration.firstOfSegue {
            let path = exploration.path(through: use)
            let before = exploration.window(after: path.dropLast())
            let after = exploration.window(after: path)
            if after == nil || after?.revision == before?.revision {
                found.append("the flow to \(segue) has no effect")
            }
        }
        for segue in walk.usedSegues
        where exploration.firstOfSegue[segue] == nil && !isUnknown(.unreachableSegue, segue)
            && !isUnknown(.unreachableScene, String(segue.prefix { $0 != "." }))
        {
            found.append("the segue \(segue) has an effect")
        }
        return found
    }

    private func refusals(_ walk: BruteForce) -> [String] {
        var found: [String] = []
        for (key, refusal) in exploration.refusals {
            let path = exploration.path(through: refusal.use)
            if exploration.window(after: path.dropLast()) == nil
                || exploration.window(after: path) != nil
            {
                found.append("\(key) is not refused")
            }
        }
        for key in walk.refused where exploration.refusals[key] == nil {
            found.append("\(key) is refused")
        }
        let links = Set(exploration.refusedLinks.values.map(\.link.link.text))
        for link in walk.refusedLinks.symmetricDifference(links) {
            found.append("the link \(link)")
        }
        return found
    }

    private func deadEnds(_ walk: BruteForce) -> [String] {
        var found: [String] = []
        let dead = walk.deadEnds()
        for finding in report.findings
        where finding.kind == .deadEnd && finding.severity != .unknown {
            let scene = finding.scene ?? ""
            let path = exploration.deadEnds[scene] ?? []
            guard let end = exploration.window(after: path) else {
                found.append("the flow to the dead end \(scene) is refused")
                continue
            }
            let bounds = BruteForce.Bounds(
                height: bounds.height + path.count, layers: bounds.layers + path.count,
                windows: bounds.windows)
            var way = BruteForce(exploration, bounds)
            if end.topViewController.scene.name != scene || way.leadsToRoot(from: end) == true {
                found.append("\(scene) is no dead end")
            }
            if let distance = dead[scene], distance < length(path), finding.isShortest {
                found.append("dead end \(scene): \(path.count) actions, not \(distance)")
            }
        }
        let known = report.findings.filter { $0.kind == .deadEnd }.compactMap(\.scene)
        for (scene, distance) in dead where !known.contains(scene) {
            found.append("\(scene) is a dead end after \(distance) actions")
        }
        return found
    }
}
