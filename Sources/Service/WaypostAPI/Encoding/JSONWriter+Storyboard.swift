import JSON
import NavigationRules

extension JSONWriter {
    /// Writes a storyboard in the format of a storyboard file. Each scene has all members,
    /// including those with default values.
    mutating func storyboard(_ storyboard: Storyboard) {
        object { json in
            json.member("name", storyboard.name)
            json.member("initialScene", storyboard.initialScene.name)
            json.member("loginScene", storyboard.loginScene?.name)
            json.objects("segments", storyboard.segments) { json, segment in
                json.member("title", segment.title)
                json.member("scene", segment.scene.name)
            }
            json.member("initialIsBare", storyboard.initialIsBare)
            json.member("guests", storyboard.hasGuests)
            json.name("flags")
            json.write(storyboard.flags.values)
            json.member("strict", storyboard.isStrict)
            json.member("lifecycle", storyboard.lifecycle.rawValue)
            json.member("uikit", storyboard.uikit.number)
            json.member(
                "callbacks",
                CallbackGroup.allCases.filter(storyboard.callbacks.contains).map(\.rawValue))
            json.object("links") { json in
                json.member("hosts", storyboard.links.hosts)
                json.member("schemes", storyboard.links.schemes)
                json.member("notFound", storyboard.links.notFound)
            }
            json.object("scenes") { json in
                for (name, scene) in storyboard.scenes.sorted(by: { $0.key < $1.key }) {
                    json.name(escaping: name)
                    json.scene(scene)
                }
            }
        }
    }

    private mutating func scene(_ scene: Scene) {
        object { json in
            json.member("kind", scene.kind.rawValue)
            json.member("access", scene.access.rawValue)
            json.member("title", scene.title?.source)
            json.member("bottomBar", scene.bottomBar?.source)
            json.member(
                "parameters",
                scene.parameters.map { scene.requiredParameters.contains($0) ? $0 : "\($0)?" })
            json.name("rows")
            json.rows(of: scene)
            json.name("select")
            if let segue = scene.selectSegue {
                json.object { $0.member("segue", segue) }
            } else if let select = scene.select {
                json.string(select)
            } else {
                json.null()
            }
            json.member("image", scene.image)
            json.member("submit", scene.submit?.rawValue)
            if scene.paths.count > 1 {
                json.member("path", scene.paths.map(\.description))
            } else {
                json.member("path", scene.path?.description)
            }
            json.member("parent", scene.parent)
            json.member("hidesBottomBarWhenPushed", scene.hidesBottomBarWhenPushed)
            json.name("toolbarItems")
            json.items(scene.toolbarItems, scene.controls.toolbarItems)
            json.name("navigationItem")
            json.navigationItem(of: scene)
            json.array("buttons", scene.controls.buttons) { json, button in
                json.control(button)
            }
            json.member("root", scene.root)
            json.objects("tabs", scene.tabs) { json, tab in
                json.member("title", tab.title)
                json.member("scene", tab.scene)
                json.member("shouldSelect", tab.shouldSelect)
                json.member("whenRefused", tab.whenRefused)
            }
            json.array("segues", scene.segues) { $0.segue($1) }
            json.member("unwindActions", scene.unwindActions)
            json.member("presentation", scene.presentation?.rawValue)
            json.member("isModalInPresentation", scene.isModalInPresentation)
            json.member("shouldPop", scene.shouldPop)
            json.member("whenRefused", scene.whenRefused)
            if scene.isShownByCode { json.member("shownByCode", true) }
        }
    }

    /// Writes the rows of a scene: an array for rows that the storyboard itself defines, or the
    /// name under which the app's data supplies the rows. Writes null for a scene without rows.
    private mutating func rows(of scene: Scene) {
        if let rows = scene.fixedRows {
            objects(rows) { json, row in
                json.member("title", row.title)
                json.member("subtitle", row.subtitle)
                if let segue = row.segue { json.member("segue", segue) }
                if let segue = row.accessorySegue { json.member("accessorySegue", segue) }
                json.guards(row.when, row.sets)
            }
        } else if let rows = scene.rows {
            string(rows)
        } else {
            null()
        }
    }

    private mutating func navigationItem(of scene: Scene) {
        let item = scene.navigationItem
        object { json in
            json.member("title", item.title)
            json.member("backButtonTitle", item.backButtonTitle)
            json.member("hidesBackButton", item.hidesBackButton)
            json.name("leftItems")
            json.items(item.leftItems, scene.controls.leftItems)
            json.member("leftItemsSupplementBackButton", item.leftItemsSupplementBackButton)
            json.name("rightItems")
            json.items(item.rightItems, scene.controls.rightItems)
        }
    }

    /// Writes an array of bar items. An item with only a title is written as this title, and any
    /// other item as an object.
    private mutating func items(_ titles: [String], _ controls: [Control]) {
        array(titles.indices) { json, index in
            if index < controls.count, controls[index] != Control(title: titles[index], segue: nil)
            {
                json.control(controls[index])
            } else {
                json.string(titles[index])
            }
        }
    }

    private mutating func control(_ control: Control) {
        object { json in
            json.member("title", control.title)
            json.member("segue", control.segue)
            json.guards(control.when, control.sets)
        }
    }

    /// Writes the condition of a control, and the flags that a tap on it sets, if it has them.
    private mutating func guards(_ condition: FlagCondition?, _ sets: [String: Bool]) {
        if let condition { member("when", condition.text) }
        if !sets.isEmpty {
            name("set")
            write(sets)
        }
    }

    private mutating func segue(_ segue: Segue) {
        object { json in
            json.member("identifier", segue.identifier)
            switch segue.action {
            case .show(let scene):
                json.member("kind", "show")
                json.member("scene", scene)
            case .push(let scene):
                json.member("kind", "push")
                json.member("scene", scene)
            case .present(let scene, let style):
                json.member("kind", "present")
                json.member("scene", scene)
                if let style { json.member("presentationStyle", style.rawValue) }
            case .unwind(let action):
                json.member("kind", "unwind")
                json.member("action", action)
            case .dismiss: json.member("kind", "dismiss")
            case .custom: json.member("kind", "custom")
            }
            if let when = segue.when { json.member("when", when.text) }
            guard !segue.parameters.isEmpty else { return }
            json.object("parameters") { json in
                for (name, template) in segue.parameters.sorted(by: { $0.key < $1.key }) {
                    json.name(escaping: name)
                    json.string(template.source)
                }
            }
        }
    }
}
