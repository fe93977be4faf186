import Navigation
import PropertyLists

/// Decodes a draft, which is an unchecked storyboard, from a property list. Reports members that
/// are missing or unknown, or that have the wrong type.
///
/// The decoder leaves out or replaces the invalid parts of the draft. The later check of the draft
/// can then find more mistakes in the same run.
struct StoryboardDecoder {
    func draft(from reader: PropertyListReader) -> StoryboardDraft? {
        guard let members = reader.dictionary("a storyboard (a dictionary)") else { return nil }
        members.refuseKeys(besides: [
            "name", "loginScene", "initialScene", "segments", "scenes", "data", "strict",
            "lifecycle", "uikit", "callbacks", "links",
        ])
        return StoryboardDraft(
            name: members["name"].string() ?? "",
            loginScene: members["loginScene"].ifPresent?.string(),
            initialScene: members["initialScene"].ifPresent?.string(),
            segments: members["segments"].ifPresent?.array()?.map(titledScene) ?? [],
            scenes: scenes(from: members["scenes"]),
            isStrict: members["strict"].ifPresent?.boolean() ?? false,
            lifecycle: members["lifecycle"].ifPresent.flatMap { choice($0) } ?? .native,
            uikit: members["uikit"].ifPresent.flatMap(uikitVersion) ?? .newest,
            callbacks: Set(
                members["callbacks"].ifPresent?.array()?.compactMap { choice($0) } ?? []),
            links: members["links"].ifPresent.map(links) ?? LinkSettings())
    }

    private func uikitVersion(from reader: PropertyListReader) -> UIKitVersion? {
        guard let number = reader.integer() else { return nil }
        if let version = UIKitVersion(number) { return version }
        let known = UIKitVersion.known
        reader.reportDefect(
            "expected a version of iOS from \(known.lowerBound) to \(known.upperBound), found "
                + "\(number)")
        return nil
    }

    private func links(from reader: PropertyListReader) -> LinkSettings {
        guard let members = reader.dictionary() else { return LinkSettings() }
        members.refuseKeys(besides: ["hosts", "schemes", "notFound"])
        return LinkSettings(
            hosts: members["hosts"].ifPresent?.strings() ?? [],
            schemes: members["schemes"].ifPresent?.strings() ?? [],
            notFound: members["notFound"].ifPresent?.string())
    }

    private func scenes(from reader: PropertyListReader) -> [Scene] {
        guard let members = reader.dictionary("a dictionary of scenes") else { return [] }
        return members.keys.compactMap { scene(named: $0, from: members[$0]) }
    }

    private static let keys: Set<String> = [
        "kind", "access", "title", "bottomBar", "rows", "select", "image", "parameters", "path",
        "parent", "navigationItem", "hidesBottomBarWhenPushed", "root", "tabs", "segues",
        "unwindActions", "presentation", "isModalInPresentation", "buttons",
        "toolbarItems", "submit", "shouldPop", "whenRefused",
    ]

    private func scene(named name: String, from reader: PropertyListReader) -> Scene? {
        guard let members = reader.dictionary("a scene (a dictionary)") else { return nil }
        members.refuseKeys(besides: Self.keys)
        let kind: Scene.Kind? = choice(members["kind"])
        let fixedRows = fixedRows(from: members["rows"])
        let rows = fixedRows == nil ? members["rows"].ifPresent?.string() : nil
        let image = members["image"].ifPresent?.string()
        var controls = Controls()
        controls.buttons = members["buttons"].ifPresent?.array()?.map(button) ?? []
        let toolbarItems = members["toolbarItems"].ifPresent.map(items) ?? []
        controls.toolbarItems = toolbarItems.map(\.segue)
        return Scene(
            name: name,
            kind: kind
                ?? (rows != nil || fixedRows != nil ? .table : image != nil ? .image : .blank),
            access: members["access"].ifPresent.flatMap { choice($0) } ?? .app,
            title: members["title"].ifPresent.flatMap(template),
            bottomBar: members["bottomBar"].ifPresent.flatMap(template),
            rows: rows,
            select: members["select"].isDictionary ? nil : members["select"].ifPresent?.string(),
            image: image,
            parameters: members["parameters"].ifPresent.map(parameters) ?? [],
            paths: members["path"].ifPresent.map(patterns) ?? [],
            parent: members["parent"].ifPresent?.string(),
            navigationItem: members["navigationItem"].ifPresent
                .map { navigationItem(from: $0, &controls) } ?? NavigationItem(),
            hidesBottomBarWhenPushed:
                members["hidesBottomBarWhenPushed"].ifPresent?.boolean() ?? false,
            toolbarItems: toolbarItems.map(\.title),
            submit: members["submit"].ifPresent.flatMap { choice($0) },
            root: members["root"].ifPresent?.string(),
            tabs: members["tabs"].ifPresent?.array()?.map(tab) ?? [],
            segues: members["segues"].ifPresent?.array()?.map(segue) ?? [],
            unwindActions: members["unwindActions"].ifPresent?.strings() ?? [],
            presentation: members["presentation"].ifPresent.flatMap { choice($0) },
            isModalInPresentation: members["isModalInPresentation"].ifPresent?.boolean() ?? false,
            shouldPop: members["shouldPop"].ifPresent?.boolean() ?? true,
            whenRefused: members["whenRefused"].ifPresent?.string(),
            fixedRows: fixedRows, selectSegue: selectSegue(from: members["select"]),
            controls: controls)
    }

    // Most of the methods below report an invalid element of an array and return a substitute for
    // the element, so that the key paths of the other elements stay correct.

    /// Decodes table rows that the storyboard itself contains.
    /// - Parameter reader: a reader for the member `rows` of a scene.
    /// - Returns: nil if the member is not an array. It is then missing, or it is the name of rows
    ///   from the app's data.
    private func fixedRows(from reader: PropertyListReader) -> [FixedRow]? {
        guard reader.isArray else { return nil }
        return reader.array()?.map { row in
            guard let members = row.dictionary("a row (a dictionary)") else {
                return FixedRow(title: "")
            }
            members.refuseKeys(besides: ["title", "subtitle", "segue", "accessorySegue"])
            let subtitle = members["subtitle"].ifPresent?.string()
            let segue = members["segue"].ifPresent?.string()
            let accessorySegue = members["accessorySegue"].ifPresent?.string()
            return FixedRow(
                title: members["title"].string() ?? "", subtitle: subtitle, segue: segue,
                accessorySegue: accessorySegue)
        }
    }

    private func selectSegue(from reader: PropertyListReader) -> String? {
        guard reader.isDictionary, let members = reader.dictionary() else { return nil }
        members.refuseKeys(besides: ["segue"])
        return members["segue"].string()
    }

    private func button(from reader: PropertyListReader) -> Control {
        guard let members = reader.dictionary("a button (a dictionary)") else {
            return Control(title: "", segue: nil)
        }
        return control(from: members)
    }

    private func control(from members: PropertyListMembers) -> Control {
        members.refuseKeys(besides: ["title", "segue"])
        let segue = members["segue"].string()
        return Control(title: members["title"].string() ?? "", segue: segue)
    }

    /// Decodes the items of a bar. Each item is a string, or a dictionary with a title and a segue.
    private func items(from reader: PropertyListReader) -> [Control] {
        guard let elements = reader.array("an array of items") else { return [] }
        return elements.map { element in
            guard element.isDictionary, let members = element.dictionary() else {
                return Control(title: element.string() ?? "", segue: nil)
            }
            return control(from: members)
        }
    }

    /// Decodes the title and the scene of a tab or a segment. Reports a defect and returns an empty
    /// scene name if the entry names no scene.
    private func titledScene(
        from reader: PropertyListReader
    ) -> (title: String?, scene: Scene.Name) {
        guard let members = reader.dictionary() else { return (nil, "") }
        members.refuseKeys(besides: ["title", "scene"])
        return titledScene(from: members)
    }

    private func titledScene(
        from members: PropertyListMembers
    ) -> (title: String?, scene: Scene.Name) {
        let title = members["title"].ifPresent?.string()
        let scene = members["scene"].string()
        if scene == "" {
            members["scene"].reportDefect("expected the name of a scene, found an empty string")
        }
        return (title, scene ?? "")
    }

    private func tab(from reader: PropertyListReader) -> Scene.Tab {
        guard let members = reader.dictionary() else { return Scene.Tab(title: nil, scene: "") }
        members.refuseKeys(besides: ["title", "scene", "shouldSelect", "whenRefused"])
        let tab = titledScene(from: members)
        return Scene.Tab(
            title: tab.title, scene: tab.scene,
            shouldSelect: members["shouldSelect"].ifPresent?.boolean() ?? true,
            whenRefused: members["whenRefused"].ifPresent?.string())
    }

    private enum SegueKind: String, CaseIterable { case show, push, present, unwind, custom }

    private func segue(from reader: PropertyListReader) -> Segue {
        // The name is not valid in a storyboard, and it differs from all other names.
        let unnamed = "unusable \(reader.keyPath)"
        guard let members = reader.dictionary() else {
            return Segue(identifier: unnamed, action: .custom)
        }
        members.refuseKeys(besides: [
            "identifier", "kind", "scene", "action", "presentationStyle", "parameters",
        ])
        let identifier = members["identifier"].string()
        let kind: SegueKind? = choice(members["kind"])
        let parameters = members["parameters"].ifPresent?.dictionary()
        let templates = parameters?.keys.compactMap { key in
            parameters.flatMap { template($0[key]) }.map { (key, $0) }
        }
        if kind != .present { refuse(members["presentationStyle"], "only a segue of kind present") }
        if kind != .unwind { refuse(members["action"], "only a segue of kind unwind") }
        let action: Segue.Action?
        switch kind {
        case .show: action = members["scene"].string().map { .show($0) }
        case .push: action = members["scene"].string().map { .push($0) }
        case .present:
            let style: PresentationStyle? = members["presentationStyle"].ifPresent
                .flatMap { choice($0) }
            action = members["scene"].string().map { .present($0, style) }
        case .unwind:
            refuse(members["scene"], "no segue of kind unwind")
            action = members["action"].string().map { .unwind($0) }
        case .custom: action = .custom
        case nil: action = nil
        }
        guard let action else { return Segue(identifier: identifier ?? unnamed, action: .custom) }
        return Segue(
            identifier: identifier ?? unnamed, action: action,
            parameters: Dictionary(templates ?? [], uniquingKeysWith: { first, _ in first }))
    }

    /// Reports a defect if `reader` has a value. The message is `owner`, followed by "has this
    /// key".
    /// - Parameter owner: a description of what can have the key, such as "only a segue of kind
    ///   present".
    private func refuse(_ reader: PropertyListReader, _ owner: String) {
        reader.ifPresent?.reportDefect("\(owner) has this key")
    }

    /// The maximum number of parameters of a scene. Apps need far fewer. The limit exists because
    /// the time for the check of a scene grows with the square of this number.
    private static let maximumParameters = 100

    private func parameters(from reader: PropertyListReader) -> [String] {
        let names = reader.strings() ?? []
        guard names.count <= Self.maximumParameters else {
            reader.reportDefect(
                "expected \(Self.maximumParameters) parameters at most, found \(names.count)")
            return []
        }
        return names
    }

    /// Decodes the navigation item of a scene.
    /// - Parameter controls: receives the segues that the bar button items perform.
    private func navigationItem(
        from reader: PropertyListReader, _ controls: inout Controls
    ) -> NavigationItem {
        guard let members = reader.dictionary() else { return NavigationItem() }
        members.refuseKeys(besides: [
            "title", "backButtonTitle", "hidesBackButton", "leftItems",
            "leftItemsSupplementBackButton", "rightItems",
        ])
        let leftItems = members["leftItems"].ifPresent.map(items) ?? []
        let rightItems = members["rightItems"].ifPresent.map(items) ?? []
        controls.leftItems = leftItems.map(\.segue)
        controls.rightItems = rightItems.map(\.segue)
        return NavigationItem(
            title: members["title"].ifPresent?.string(),
            backButtonTitle: members["backButtonTitle"].ifPresent?.string(),
            hidesBackButton: members["hidesBackButton"].ifPresent?.boolean() ?? false,
            leftItems: leftItems.map(\.title),
            leftItemsSupplementBackButton:
                members["leftItemsSupplementBackButton"].ifPresent?.boolean() ?? false,
            rightItems: rightItems.map(\.title))
    }

    private func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ reader: PropertyListReader
    ) -> Choice? {
        guard let text = reader.string() else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        reader.reportDefect("expected one of \(choices), found \(text)")
        return nil
    }

    private func template(_ reader: PropertyListReader) -> TextTemplate? {
        parsed(reader, TextTemplate.init)
    }

    /// The maximum number of patterns of a scene. Apps need far fewer.
    private static let maximumPatterns = 100

    /// Decodes the patterns of a scene: one pattern, or a list of at least one.
    private func patterns(_ reader: PropertyListReader) -> [PathPattern] {
        guard reader.isArray, let elements = reader.array() else {
            return [parsed(reader, PathPattern.init)].compactMap(\.self)
        }
        guard (1...Self.maximumPatterns).contains(elements.count) else {
            reader.reportDefect(
                "expected 1 to \(Self.maximumPatterns) paths, found \(elements.count)")
            return []
        }
        return elements.compactMap { parsed($0, PathPattern.init) }
    }

    private func parsed<Value>(
        _ reader: PropertyListReader, _ parse: (String) throws -> Value
    ) -> Value? {
        guard let text = reader.string() else { return nil }
        do {
            return try parse(text)
        } catch {
            reader.reportDefect("\(error)")
            return nil
        }
    }
}
