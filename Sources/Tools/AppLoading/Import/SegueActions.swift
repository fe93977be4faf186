import JSON

/// Converts the segues of Xcode storyboards to segues of a Waypost storyboard.
extension SceneMapping {
    private static let styles: Set<String> = [
        "pageSheet", "formSheet", "fullScreen", "currentContext", "overFullScreen",
        "overCurrentContext", "popover", "custom", "automatic",
    ]

    /// Returns the JSON members of an imported segue, except its identifier; nil if the import
    /// options say `ignore` for the segue's class. A segue that cannot be converted becomes a segue
    /// of the kind `custom`, with a finding.
    /// - Parameters:
    ///   - key: the scene in the storyboard that has the segue.
    ///   - owner: the imported scene that gets the segue, which embeds `key` or is `key`.
    mutating func action(
        of segue: XcodeSegue, from key: SceneKey, in owner: SceneKey, _ unwinding: Unwinding
    ) -> JSONObject? {
        switch segue.kind {
        case _ where segue.shows:
            reportDetail(segue, key, in: owner)
            return show(segue, key, in: owner)
        case _ where segue.presents:
            return present(
                segue, key, segue.presentsPopover ? "popover" : segue.presentationStyle)
        case "unwind": return unwind(segue, key, in: owner, unwinding)
        case "custom": return custom(segue, key, in: owner)
        default:
            report(
                .warning, key, segue.id,
                "a segue of the unknown kind \(segue.kind): it cannot be performed")
            return Self.inexecutable
        }
    }

    private static let inexecutable: JSONObject = ["kind": "custom"]
    static let dismissal: JSONObject = ["kind": "dismiss"]

    static func unwinding(_ action: String) -> JSONObject {
        ["kind": "unwind", "action": .string(action)]
    }

    private mutating func show(
        _ segue: XcodeSegue, _ key: SceneKey, in owner: SceneKey
    ) -> JSONObject {
        guard let destination = destination(segue, key) else { return Self.inexecutable }
        switch graph.shown(destination) {
        case .content(let content):
            return ["kind": "show", "scene": .string(contentName(content))]
        case .navigation(let navigation, _) where presentations.isAlwaysBare(owner):
            return ["kind": "show", "scene": .string(name(navigation))]
        case .navigation(_, let root):
            if segue.kind == "show" || segue.kind == "push" {
                report(
                    .warning, key, segue.id,
                    "shows a navigation controller, which UIKit refuses to push: its root is "
                        + "shown")
            }
            return ["kind": "show", "scene": .string(contentName(root))]
        case .tabBar(let tabBar):
            report(
                .warning, key, segue.id,
                "shows a tab bar controller, which does not belong on a stack: it is presented")
            return [
                "kind": "present", "scene": .string(name(tabBar)),
                "presentationStyle": "fullScreen",
            ]
        }
    }

    /// Reports a segue that UIKit presents, because no split view controller is around its scene,
    /// but that the service does not present.
    private mutating func reportDetail(_ segue: XcodeSegue, _ key: SceneKey, in owner: SceneKey) {
        guard segue.kind == "showDetail", !splitScenes.contains(key),
            let destination = graph.sibling(segue.destination, of: key),
            graph.contents(of: destination).contains(where: {
                presentations.presenters[$0]?.contains(owner) != true
            })
        else { return }
        report(
            .warning, key, segue.id,
            "a showDetail segue in no split view controller, which UIKit presents: its destination "
                + "is shown on the stack; present it in the import options, "
                + "scenes.\(name(owner)).segues")
    }

    private mutating func present(
        _ segue: XcodeSegue, _ key: SceneKey, _ style: String?
    ) -> JSONObject {
        guard let destination = destination(segue, key) else { return Self.inexecutable }
        var members: JSONObject = [
            "kind": "present", "scene": .string(sceneName(shownBy: destination)),
        ]
        if let style, Self.styles.contains(style) {
            members.add("presentationStyle", .string(style))
        } else {
            // The scene that is shown can be another one than the presented view controller, such
            // as the primary view controller of a split view controller.
            let presented = presentationStyle(of: graph.resolved(destination))
            if presented != presentationStyle(of: graph.shown(destination).key) {
                members.add("presentationStyle", .string(presented ?? "automatic"))
            }
        }
        return members
    }

    /// Returns the style in which UIKit presents a view controller if the segue names none; nil for
    /// the automatic style.
    func presentationStyle(of key: SceneKey) -> String? {
        graph.scene(key)?.presentationStyle.flatMap { style in
            style != "automatic" && Self.styles.contains(style) ? style : nil
        }
    }

    private mutating func destination(_ segue: XcodeSegue, _ key: SceneKey) -> SceneKey? {
        if let destination = graph.sibling(segue.destination, of: key) { return destination }
        report(
            .warning, key, segue.id,
            "the destination \(segue.destination) is not in the file: the segue cannot be "
                + "performed")
        return nil
    }

    private mutating func unwind(
        _ segue: XcodeSegue, _ key: SceneKey, in owner: SceneKey, _ unwinding: Unwinding
    ) -> JSONObject {
        let action = segue.unwindAction ?? ""
        switch unwinding.resolution(of: action, in: owner) {
        case .known: break
        case .probable(let scene, let reason):
            report(
                .warning, key, segue.id,
                "no file says which scene has \"\(action)\": \(name(scene)) is used, \(reason); "
                    + "confirm this in the import options: "
                    + ImportOptions.unwinding(action, to: [name(scene)]))
        case .none: return Self.inexecutable
        case .unknown(let sources):
            guard let presenters = presentations.presenters[owner] else {
                let names = sources.isEmpty ? ["…"] : sources.map(name)
                report(
                    .warning, key, segue.id,
                    "no file says which scene has \"\(action)\": the segue cannot be performed; "
                        + "name the scene in the import options, such as "
                        + ImportOptions.unwinding(action, to: names))
                return Self.inexecutable
            }
            report(
                .warning, key, segue.id,
                "no file says which scene has \"\(action)\": the segue dismisses the layer of "
                    + "\(name(owner)); if it unwinds to a scene, name the scene in the import "
                    + "options: " + ImportOptions.unwinding(action, to: presenters.map(name)))
            return Self.dismissal
        }
        return Self.unwinding(action)
    }

    private mutating func custom(
        _ segue: XcodeSegue, _ key: SceneKey, in owner: SceneKey
    ) -> JSONObject? {
        let name = segue.customClass ?? ""
        switch options.customSegues[name] {
        case .push: return show(segue, key, in: owner)
        case .present: return present(segue, key, segue.presentationStyle)
        case .ignore: return nil
        case nil:
            report(
                .warning, key, segue.id,
                "the service does not know the class \(name), which performs the segue; name push, "
                    + "present or ignore in the import options, customSegues")
            return Self.inexecutable
        }
    }

    /// Reports a finding about an embed segue, with which one scene contains another scene. The
    /// finding is a warning if the other scene is missing, or if it shows a navigation controller
    /// or a tab bar controller. Otherwise, the finding is a note.
    mutating func reportEmbedding(_ segue: XcodeSegue, _ key: SceneKey) {
        guard let destination = graph.sibling(segue.destination, of: key) else {
            return report(
                .warning, key, segue.id,
                "embeds \(segue.destination), which is not in the file: it is left out")
        }
        guard case .content(let content) = graph.shown(destination) else {
            return report(
                .warning, key, segue.id,
                "embeds a container: the segues of its contents belong to this scene too")
        }
        report(
            .note, key, segue.id, "embeds \(name(content)), whose segues belong to this scene too")
    }
}
