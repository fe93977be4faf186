import JSON

/// Closes presented layers with the controls whose action is code: an Xcode storyboard names the
/// selector of the action, but not what the method does. Most methods of a presented scene whose
/// names begin with `close` dismiss it.
extension SceneMapping {
    private static let beginnings = ["close", "dismiss", "cancel", "done"]
    private static let systemItems: Set<String> = ["close", "cancel", "done", "stop"]

    /// Returns what a tap on a control without a segue does in a presented scene, and whether only
    /// the name of the control says so; nil if it does nothing that the import knows.
    func effect(of control: XcodeControl) -> (action: JSONObject, isProbable: Bool)? {
        if let selector = control.selector {
            if let scenes = options.unwindActions[selector] {
                return scenes.isEmpty ? nil : (Self.unwinding(selector), false)
            }
            if options.dismissActions?.contains(selector) == true { return (Self.dismissal, false) }
            if isProbablyDismissal(selector) { return (Self.dismissal, true) }
        }
        return control.systemItem.map(Self.systemItems.contains) == true
            ? (Self.dismissal, true) : nil
    }

    private func isProbablyDismissal(_ selector: String) -> Bool {
        options.dismissActions == nil && Self.beginnings.contains(where: selector.hasPrefix)
    }

    /// Returns the import option that says that a selector does not dismiss a layer. `dismissActions`
    /// lists all other selectors that probably do, if these are few.
    private func option(against selector: String, isSystemItem: Bool) -> String {
        let others = selectorsInLayers.lazy.filter { $0 != selector && isProbablyDismissal($0) }
            .prefix(21)
        return isSystemItem || others.count > 20
            ? ImportOptions.unwinding(selector, to: []) : ImportOptions.dismissing(Array(others))
    }

    /// Reports that a control is assumed to dismiss the layer of `scene`.
    /// - Parameters:
    ///   - key: the scene in the storyboard that has the control.
    ///   - segue: the identifier of the segue that the control performs.
    mutating func reportDismissal(
        _ control: XcodeControl, of key: SceneKey, in scene: ImportedScene, _ segue: String
    ) {
        let isSystemItem = control.systemItem.map(Self.systemItems.contains) == true
        let what: String
        let otherwise: String
        if let selector = control.selector {
            what = "the action \"\(selector)\""
            otherwise = option(against: selector, isSystemItem: isSystemItem)
        } else {
            what = "the system item \"\(control.systemItem ?? "")\""
            let member = scene.member(withoutTapFor: segue)
            let option: JSONValue = ["scenes": [scene.name: [member.name: member.value]]]
            otherwise = option.compact
        }
        report(
            .warning, key, control.id,
            "no file says what \(what) does: it dismisses the layer of \(scene.name); if it does "
                + "not, say so in the import options: \(otherwise)")
    }
}
