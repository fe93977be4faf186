/// The findings about the parameters of segues.
extension StoryboardFindings {
    /// Finds the segues of controls, rows and refused gestures whose scene needs an optional parameter
    /// of `scene`. This is no defect, because the app's code can always give the parameter a value.
    mutating func findMissingParameters(of scene: Scene, at keyPath: String) {
        let optional = scene.parameters.filter { !scene.requiredParameters.contains($0) }
        guard !optional.isEmpty else { return }
        let tapped = Set(
            scene.placedControls.compactMap(\.control.segue)
                + (scene.fixedRows ?? []).compactMap(\.accessorySegue)
                + [scene.whenRefused].compactMap(\.self))
        let givenByRows = scene.rows.flatMap { dataSource.rowBindings[$0]?.provides } ?? []
        for (index, segue) in scene.segues.enumerated() {
            let isTapped = tapped.contains(segue.identifier)
            guard isTapped || segue.identifier == scene.selectSegue,
                let target = segue.action.scene.flatMap({ storyboard.scenes[$0] })
            else { continue }
            let needed = storyboard.roots(of: target).flatMap(\.scene.requiredParameters)
            let given = isTapped ? [] : givenByRows
            for name in optional
            where !given.contains(name) && needed.contains(name) && segue.parameters[name] == nil {
                warn(
                    "\(keyPath).segues[\(index)]",
                    "\(target.name) needs the parameter \(name), which \(scene.name) does not always "
                        + "have: the segue is then refused; write \(name) without ?, or add it to the "
                        + "parameters of the segue")
            }
        }
    }
}
