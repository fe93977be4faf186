import JSON

/// Converts the segues of one Xcode scene, and the controls that perform these segues, such as
/// buttons and table rows.
struct SegueMapping {
    private let key: SceneKey
    private let unwinding: Unwinding
    private(set) var scene: ImportedScene
    private var taken: Set<String> = []
    /// The last suffix of each identifier that several segues want, so that many of them do not
    /// take quadratic time.
    private var suffixes: [String: Int] = [:]
    /// The identifiers of imported segues, by the control that performs the segue. A scene that
    /// this one embeds can be in another storyboard.
    private var byOwner: [SceneKey: String] = [:]
    /// The identifiers of imported segues that the accessory of a table cell performs, by the cell.
    private var byAccessory: [SceneKey: String] = [:]
    private var buttons: [Button] = []
    private var dismissals: [(control: XcodeControl, source: SceneKey, segue: String)] = []

    /// The cells of the scene's tables in Xcode, if the import options list the rows instead.
    private var cells: [Cell] = []

    /// A cell of a table, with the identifiers of the imported segues that it performs.
    private struct Cell {
        let title: String?
        let subtitle: String?
        let segue: String?
        let accessorySegue: String?

        var performsSegue: Bool { segue ?? accessorySegue != nil }
    }

    /// A button that the imported scene gets, unless a bar item or a row performs its segue.
    private struct Button {
        let title: String
        let segue: String
        /// Whether only code performs the segue in the app, and it leads to another scene.
        var isFromCode = false
    }

    init(_ key: SceneKey, _ scene: ImportedScene, _ unwinding: Unwinding) {
        self.key = key
        self.scene = scene
        self.unwinding = unwinding
    }

    /// Converts the segues and controls of the scene, and those of the scenes that it embeds.
    mutating func map(_ mapping: inout SceneMapping) {
        let sources = mapping.graph.embedding(key)
        for action in sources.flatMap(unwinding.actions)
        where !scene.unwindActions.contains(action) { scene.unwindActions.append(action) }
        let all = sources.flatMap { source in
            (mapping.graph.scene(source)?.segues ?? []).map { (source, $0) }
        }
        var uses: [String: Int] = [:]
        for (_, segue) in all { uses[segue.identifier ?? "", default: 0] += 1 }
        for (source, segue) in all {
            add(segue, of: source, isUnique: uses[segue.identifier ?? ""] == 1, &mapping)
        }
        if mapping.presentations.presenters[key] != nil {
            for source in sources { addDismissals(of: source, mapping) }
        }
        for source in sources { addControls(of: source, &mapping) }
        if let rows = mapping.options.rows(for: scene) { setRows(rows) }
        if !scene.toolbarItems.isEmpty, !mapping.toolbarScenes.contains(key),
            mapping.options.scenes[scene.name]?["toolbarItems"] == nil
        {
            mapping.report(
                .warning, key, nil,
                "no navigation controller around this scene shows its toolbar, unless code shows "
                    + "it: users of the service can tap the items; set or remove them in the import "
                    + "options, scenes.\(scene.name).toolbarItems")
        }
        scene.buttons += buttons.map {
            ImportedScene.Control(title: $0.title, segue: $0.segue)
        }
        for (control, source, segue) in dismissals {
            mapping.reportDismissal(control, of: source, in: scene, segue)
        }
    }

    private mutating func add(
        _ segue: XcodeSegue, of source: SceneKey, isUnique: Bool, _ mapping: inout SceneMapping
    ) {
        guard segue.kind != "embed" else {
            return mapping.reportEmbedding(segue, source)
        }
        guard let action = mapping.action(of: segue, from: source, in: key, unwinding) else {
            return
        }
        let wanted = isUnique ? segue.identifier ?? segue.id : segue.id
        let identifier = add(action, wanted ?? "segue")
        // A control whose segue cannot be performed does nothing.
        if action["kind"] == "custom" { return }
        if let owner = segue.owner {
            let control = source.object(owner.id)
            if segue.trigger == "accessoryAction" {
                byAccessory[control] = byAccessory[control] ?? identifier
            } else {
                byOwner[control] = byOwner[control] ?? identifier
            }
        }
        let title = segue.owner?.title ?? segue.identifier ?? identifier
        buttons.append(
            Button(
                title: segue.trigger == "accessoryAction" ? "\(title) (accessory)" : title,
                segue: identifier,
                isFromCode: segue.owner == nil && segue.kind != "unwind"))
    }

    /// Adds a segue to the imported scene.
    /// - Returns: the identifier of the segue, which differs from `wanted` if the scene has a segue
    ///   of this identifier.
    private mutating func add(_ action: JSONObject, _ wanted: String) -> String {
        var (identifier, suffix) = (wanted, suffixes[wanted, default: 1])
        while !taken.insert(identifier).inserted {
            suffix += 1
            identifier = "\(wanted)-\(suffix)"
        }
        suffixes[wanted] = suffix
        let member = JSONObject.Member(name: "identifier", value: .string(identifier))
        scene.segues.append(JSONObject(members: [member] + action.members))
        return identifier
    }

    /// Adds a segue for each control without a segue that closes the layer of the scene.
    private mutating func addDismissals(of source: SceneKey, _ mapping: SceneMapping) {
        for control in mapping.graph.scene(source)?.controls ?? [] {
            let key = source.object(control.id)
            guard byOwner[key] == nil, let effect = mapping.effect(of: control) else { continue }
            let name = control.selector?.filter { $0 != ":" } ?? control.systemItem
            let identifier = add(effect.action, name ?? control.id)
            byOwner[key] = identifier
            buttons.append(Button(title: control.title, segue: identifier))
            if effect.isProbable { dismissals.append((control, source, identifier)) }
        }
    }

    // MARK: Controls

    private mutating func addControls(of source: SceneKey, _ mapping: inout SceneMapping) {
        guard let content = mapping.graph.scene(source) else { return }
        scene.leftItems += items(content.navigationItem.leftItems, of: source)
        scene.rightItems += items(content.navigationItem.rightItems, of: source)
        scene.toolbarItems += items(content.toolbarItems, of: source)
        guard let table = content.table else { return }
        scene.kind = "table"
        let cells = table.cells.map {
            let control = source.object($0.id)
            return Cell(
                title: $0.title, subtitle: $0.subtitle, segue: byOwner[control],
                accessorySegue: byAccessory[control])
        }
        if mapping.options.rows(for: scene) != nil {
            self.cells += cells
        } else if table.isStatic {
            let rows = cells.enumerated().map { index, cell in
                row(cell, title: cell.title ?? "Row \(index + 1)", cell.subtitle)
            }
            scene.rows = (scene.rows ?? []) + ImportedScene.rowJSON(rows)
        } else {
            addSampleRows(for: cells.filter(\.performsSegue), &mapping)
        }
    }

    /// Adds three sample rows for each prototype cell that performs a segue.
    private mutating func addSampleRows(for cells: [Cell], _ mapping: inout SceneMapping) {
        guard !cells.isEmpty else { return }
        let rows = cells.flatMap { cell in
            (1...3).map { row(cell, title: "\(cell.title ?? "Row") \($0)") }
        }
        scene.rows = (scene.rows ?? []) + ImportedScene.rowJSON(rows)
        if mapping.options.scenes[scene.name]?["rows"] == nil {
            mapping.report(
                .note, key, nil,
                "the rows come from code: sample rows take their place; give the rows of "
                    + "\(scene.name) with --data")
        }
    }

    /// Returns a row that performs the segues of a cell.
    private mutating func row(
        _ cell: Cell, title: String, _ subtitle: String? = nil
    ) -> ImportedScene.Control {
        ImportedScene.Control(
            title: title, segue: taken(cell.segue), subtitle: subtitle,
            accessorySegue: taken(cell.accessorySegue))
    }

    /// Gives the imported scene the rows that the import options list for it. A row that names no
    /// segue performs the first one of a cell, or the only one that code performs.
    private mutating func setRows(_ rows: [JSONValue]) {
        let coded = buttons.filter(\.isFromCode)
        let segue =
            coded.count == 1 && !cells.contains(where: \.performsSegue)
            ? coded[0].segue : cells.lazy.compactMap(\.segue).first
        let accessory = cells.lazy.compactMap(\.accessorySegue).first
        let given = rows.map { $0.with("segue", segue).with("accessorySegue", accessory) }
        scene.rows = given
        let performed = Set(given.flatMap { [$0["segue"]?.text, $0["accessorySegue"]?.text] })
        for segue in cells.flatMap({ [$0.segue, $0.accessorySegue] })
        where performed.contains(segue) {
            _ = taken(segue)
        }
    }

    private mutating func items(
        _ items: [XcodeBarItem], of source: SceneKey
    ) -> [ImportedScene.Control] {
        items.map {
            ImportedScene.Control(title: $0.title, segue: taken(byOwner[source.object($0.id)]))
        }
    }

    /// Returns the identifier of the segue that a control, or the accessory of a cell, performs; nil
    /// if it performs none. Also discards the button that the import would otherwise add for the
    /// segue.
    private mutating func taken(_ identifier: String?) -> String? {
        guard let identifier else { return nil }
        buttons.removeAll { $0.segue == identifier }
        return identifier
    }
}

extension SceneKey {
    /// Returns the key of another object of the same storyboard, such as a button of the scene.
    fileprivate func object(_ id: String) -> SceneKey { SceneKey(storyboard: storyboard, id: id) }
}

extension JSONValue {
    /// Returns this row with the member `name`, whose value is `segue`. The row is unchanged if it
    /// already has the member, or if `segue` is nil.
    fileprivate func with(_ name: String, _ segue: String?) -> JSONValue {
        guard let segue, let object, object[name] == nil else { return self }
        return .object(object.setting(name, to: .string(segue)))
    }
}
