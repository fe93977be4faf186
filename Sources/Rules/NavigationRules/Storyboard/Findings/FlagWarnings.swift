/// The warnings about flags: those without effect, and controls that set what already is so. They
/// need no valid storyboard.
struct FlagWarnings {
    private(set) var warnings: [StoryboardDefect] = []

    /// - Parameters:
    ///   - flags: the names of the flags.
    ///   - scenes: the scenes in the order of their names.
    init(flags: some Sequence<String>, scenes: [Scene]) {
        var used: Set<String> = []
        for scene in scenes {
            used.formUnion(scene.segues.compactMap(\.when?.flag))
            for (keyPath, control) in scene.placedControls {
                guard let when = control.when else { continue }
                used.insert(when.flag)
                guard control.sets[when.flag] == when.value else { continue }
                warnings.append(
                    StoryboardDefect(
                        keyPath: "scenes.\(scene.name).\(keyPath).set",
                        reason: "\(when.flag) is already \(when.value) where `when` shows this"))
            }
        }
        for flag in flags.sorted() where !used.contains(flag) {
            warnings.append(
                StoryboardDefect(
                    keyPath: "flags.\(flag)", reason: "has no effect: no `when` names it"))
        }
    }
}

extension Scene {
    /// The controls with their places in the scene, such as `buttons[0]`. A fixed row counts as a
    /// control.
    var placedControls: [(keyPath: String, control: Control)] {
        let rows = (fixedRows ?? []).map {
            Control(title: $0.title, segue: $0.segue, when: $0.when, sets: $0.sets)
        }
        return [
            ("rows", rows), ("buttons", controls.buttons),
            ("navigationItem.leftItems", controls.leftItems),
            ("navigationItem.rightItems", controls.rightItems),
            ("toolbarItems", controls.toolbarItems),
        ].flatMap { name, controls in
            controls.enumerated().map { ("\(name)[\($0)]", $1) }
        }
    }
}
