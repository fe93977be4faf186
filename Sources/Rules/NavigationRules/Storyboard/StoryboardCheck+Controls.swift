/// The checks of rows, buttons and bar items that perform a segue.
extension StoryboardCheck {
    /// Checks the rows and the controls of a scene.
    /// - Parameter segues: the segues of the scene, by identifier.
    mutating func checkControls(
        of scene: Scene, _ segues: [String: [Segue]], at keyPath: String
    ) {
        if let rows = scene.fixedRows {
            if scene.kind != .table {
                report("\(keyPath).rows", "only a table has rows: \(scene.name) is not a table")
            }
            if scene.select != nil || scene.selectSegue != nil {
                report("\(keyPath).select", "not allowed with listed rows: give each row a segue")
            }
            for (index, row) in rows.enumerated() {
                let at = "\(keyPath).rows[\(index)].accessorySegue"
                checkSegue(row.accessorySegue, among: segues, of: scene, at: at)
            }
        }
        if let segue = scene.selectSegue {
            let at = "\(keyPath).select.segue"
            if scene.rows == nil, scene.fixedRows == nil {
                report(at, "only a table with rows can select")
            }
            let provided = scene.rows.flatMap { dataSource.rowBindings[$0]?.provides }
            checkSegue(segue, among: segues, of: scene, at: at, given: provided)
        }
        if scene.kind.isContainer, !scene.controls.buttons.isEmpty {
            report("\(keyPath).buttons", "a container has no buttons: give them to its contents")
        }
        for (place, control) in scene.placedControls {
            let at = "\(keyPath).\(place)"
            checkSegue(control.segue, among: segues, of: scene, at: "\(at).segue")
            checkCondition(control.when, at: at)
            checkSets(control.sets, at: at)
        }
    }

    /// Checks the segue that follows a refused gesture.
    mutating func checkWhenRefused(
        _ scene: Scene, _ segues: [String: [Segue]], at keyPath: String
    ) {
        checkSegue(scene.whenRefused, among: segues, of: scene, at: "\(keyPath).whenRefused")
        if !scene.shouldPop, scene.kind.isContainer {
            report("\(keyPath).shouldPop", "a container is on no stack")
        }
        for (index, tab) in scene.tabs.enumerated() {
            guard let identifier = tab.whenRefused, !segueIdentifiers.contains(identifier)
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
        _ identifier: String?, among segues: [String: [Segue]], of scene: Scene,
        at keyPath: String, given: [String]? = []
    ) {
        guard let identifier else { return }
        guard let named = segues[identifier] else {
            return report(
                keyPath,
                "the scene has no segue \(identifier)"
                    + suggestion(for: identifier, among: segues.keys.sorted()))
        }
        guard let given else { return }
        for segue in named {
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
}
