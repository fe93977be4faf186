import Navigation

/// Tries the links to an app's scenes. A link is a URL path such as `/books/emma`.
extension Exploration {
    /// Opens one link to each scene that has a path and is shown after the log-in. Each link is
    /// opened in a window with one view controller on its stack and nothing presented. Adds a
    /// finding for each link that cannot be tried, is refused, or shows another scene.
    mutating func openLinks() {
        guard
            let base = roots.first(where: { self.window(of: Int($0)).root == .app }).map(Int.init),
            states[base].depth < limits.depth
        else {
            if !stops.isEmpty, app.storyboard.scenes.values.contains(where: Self.hasLink) {
                findings.add(.unknown, "link", "", "no link was tried")
            }
            return
        }
        let start = self.window(of: base)
        for scene in app.storyboard.scenes.values.sorted(by: { $0.name < $1.name }) {
            guard Self.hasLink(scene), let path = scene.path else { continue }
            guard let link = self.link(to: scene) else {
                findings.add(
                    .warning, "link-not-tried", path.description,
                    "the link \(path) was not tried: no row that was seen gives its parameters")
                continue
            }
            transitions += 1
            do throws(NavigationError) {
                let (after, _) = try start.performing(
                    Operation(Open(link)), animated: true, in: app)
                guard after.topViewController.scene === scene else {
                    findings.add(
                        .error, "link", path.description,
                        "the link \(link.text) shows \(after.topViewController.scene.name), "
                            + "not \(scene.name)")
                    continue
                }
                let index = add(after, from: base, by: .open(link))
                firstOfLink[path.description] = Use(
                    state: base, action: .open(link), target: index)
            } catch {
                let code = Self.code(of: error)
                findings.add(
                    .error, "link", path.description,
                    "the link \(link.text) to \(scene.name) cannot be shown: \(code)")
            }
        }
    }

    private static func hasLink(_ scene: Scene) -> Bool {
        scene.path != nil && scene.access == .app
    }

    /// Returns a link to a scene. The values of the link's parameters come from the first explored
    /// table row that has all of them. Returns nil if no row has all of them, or if the scene has
    /// no path.
    private func link(to scene: Scene) -> Link? {
        let needed = scene.requiredParameters
        let values =
            needed.isEmpty
            ? [:] : rowParameters.first { row in needed.allSatisfy { row[$0] != nil } }
        return values.flatMap { app.storyboard.link(to: scene, $0) }.map { .path($0) }
    }
}
