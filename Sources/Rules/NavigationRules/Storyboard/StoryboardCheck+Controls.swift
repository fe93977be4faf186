/// The checks of rows, buttons and bar items that perform a segue.
extension StoryboardCheck {
    mutating func checkControls(of scene: Scene, at keyPath: String) {
        if let rows = scene.fixedRows {
            if scene.kind != .table {
                report("\(keyPath).rows", "only a table has rows: \(scene.name) is not a table")
            }
            if scene.select != nil || scene.selectSegue != nil {
                report("\(keyPath).select", "not allowed with listed rows: give each row a segue")
            }
            for (index, row) in rows.enumerated() {
                let at = "\(keyPath).rows[\(index)].accessorySegue"
                checkSegue(row.accessorySegue, of: scene, at: at)
            }
        }
        if let segue = scene.selectSegue {
            let at = "\(keyPath).select.segue"
            if scene.rows == nil, scene.fixedRows == nil {
                report(at, "only a table with rows can select")
            }
            let provided = scene.rows.flatMap { dataSource.rowBindings[$0]?.provides }
            checkSegue(segue, of: scene, at: at, given: provided)
        }
        if scene.kind.isContainer, !scene.controls.buttons.isEmpty {
            report("\(keyPath).buttons", "a container has no buttons: give them to its contents")
        }
        for (place, control) in scene.placedControls {
            let at = "\(keyPath).\(place)"
            checkSegue(control.segue, of: scene, at: "\(at).segue")
            checkCondition(control.when, at: at)
            checkSets(control.sets, at: at)
        }
    }

    /// Checks the segue that follows a refused gesture.
    mutating func checkWhenRefused(_ scene: Scene, at keyPath: String) {
        checkSegue(scene.whenRefused, of: scene, at: "\(keyPath).whenRefused")
        if !scene.shouldPop, scene.kind.isContainer {
            report("\(keyPath).shouldPop", "a container is on no stack")
        }
        for (index, tab) in scene.tabs.enumerated() {
            guard let identifier = tab.whenRefused,
                !draft.scenes.contains(where: { $0.segues.contains { $0.identifier == identifier } }
                )
            else { continue }
            report(
                "\(keyPath).tabs[\(index)].whenRefused", "no scene has a segue \(identifier)")
        }
    }

    /// Checks that the scene declares the segue, and that a tap can perform the segue. The scene,
    /// the segue and the tapped row together must supply all parameters of the scene that the segue
    /// shows.
    /// - Parameters:
    ///   - identifier: the identifier of the segue. If nil, the method checks nothing.
    ///   - given: the names of the parameters that the tapped row supplies; empty if the control is
    ///     not a row or the row supplies none. If nil, the names are unknown, and the method does
    ///     not check the parameters.
    private mutating func checkSegue(
        _ identifier: String?, of scene: Scene, at keyPath: String, given: [String]? = []
    ) {
        guard let identifier else { return }
        let segues = scene.segues.filter { $0.identifier == identifier }
        guard !segues.isEmpty else {
            let known = scene.segues.map(\.identifier)
            return report(
                keyPath,
                "the scene has no segue \(identifier)" + suggestion(for: identifier, among: known))
        }
        guard let given else { return }
        for segue in segues {
            guard let target = segue.action.scene.flatMap({ scenes[$0] }) else { continue }
            let available = Set(scene.parameters).union(segue.parameters.keys).union(given)
            for content in contents(of: target) {
                for parameter in content.requiredParameters where !available.contains(parameter) {
                    report(
                        keyPath,
                        "\(content.name) needs the parameter \(parameter), which the tap cannot "
                            + "give: add it to the parameters of the segue \(identifier)")
                }
            }
        }
    }

    /// Returns the end of an error message that suggests similar names, such as `; did you mean
    /// books?`. The result is empty if no name is similar.
    func suggestion(for name: String, among names: some Sequence<String>) -> String {
        didYouMean(name, among: names.sorted()).map { "; \($0)" } ?? ""
    }
}
