import NavigationRules

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
            "lifecycle", "uikit", "callbacks", "links", "guests", "flags", "initialIsBare",
        ])
        return StoryboardDraft(
            name: members["name"].string() ?? "",
            loginScene: members["loginScene"].ifPresent?.string(),
            initialScene: members["initialScene"].ifPresent?.string(),
            segments: members["segments"].ifPresent?.array()?.map(titledScene) ?? [],
            initialIsBare: members["initialIsBare"].ifPresent?.boolean() ?? false,
            hasGuests: members["guests"].ifPresent?.boolean() ?? false,
            flags: members["flags"].ifPresent.map(flags) ?? [:],
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
        "toolbarItems", "submit", "shouldPop", "whenRefused", "shownByCode",
    ]

    private func scene(named name: String, from reader: PropertyListReader) -> Scene? {
        guard let members = reader.dictionary("a scene (a dictionary)") else { return nil }
        members.refuseKeys(besides: Self.keys, ignoring: ["when"])
        let kind: Scene.Kind? = choice(members["kind"])
        let fixedRows = fixedRows(from: members["rows"])
        let rows = fixedRows == nil ? members["rows"].ifPresent?.string() : nil
        let image = members["image"].ifPresent?.string()
        var controls = Controls()
        controls.buttons = members["buttons"].ifPresent?.array()?.map(button) ?? []
        refuseCondition(members, "a scene")
        let toolbarItems = members["toolbarItems"].ifPresent.map(items) ?? []
        controls.toolbarItems = toolbarItems
        return Scene(
            name: name,
            kind: kind
                ?? (rows != nil || fixedRows != nil ? .table : image != nil ? .image : .blank),
            // The name that `members` had before there were guests.
            access: members["access"].ifPresent.flatMap { choice($0, renamed: ["app": "members"]) }
                ?? .members,
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
            controls: controls,
            isShownByCode: members["shownByCode"].ifPresent?.boolean() ?? false)
    }

    // The methods for elements of an array report an invalid element and return a substitute for
    // it, so that the key paths of the other elements stay correct.

    /// Decodes the title and the scene of a tab or a segment. Reports a defect and returns an empty
    /// scene name if the entry names no scene.
    private func titledScene(
        from reader: PropertyListReader
    ) -> (title: String?, scene: Scene.Name) {
        guard let members = reader.dictionary() else { return (nil, "") }
        members.refuseKeys(besides: ["title", "scene"], ignoring: ["when"])
        refuseCondition(members, "a segment")
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
        members.refuseKeys(
            besides: ["title", "scene", "shouldSelect", "whenRefused"], ignoring: ["when"])
        refuseCondition(members, "a tab")
        let tab = titledScene(from: members)
        return Scene.Tab(
            title: tab.title, scene: tab.scene,
            shouldSelect: members["shouldSelect"].ifPresent?.boolean() ?? true,
            whenRefused: members["whenRefused"].ifPresent?.string())
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
        controls.leftItems = leftItems
        controls.rightItems = rightItems
        return NavigationItem(
            title: members["title"].ifPresent?.string(),
            backButtonTitle: members["backButtonTitle"].ifPresent?.string(),
            hidesBackButton: members["hidesBackButton"].ifPresent?.boolean() ?? false,
            leftItems: leftItems.map(\.title),
            leftItemsSupplementBackButton:
                members["leftItemsSupplementBackButton"].ifPresent?.boolean() ?? false,
            rightItems: rightItems.map(\.title))
    }

    /// Decodes the name of a choice.
    /// - Parameter renamed: for each earlier name, the present one.
    func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ reader: PropertyListReader, renamed: [String: String] = [:]
    ) -> Choice? {
        guard let text = reader.string() else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        if let name = renamed[text] {
            reader.reportDefect("\(text) is called \(name) now")
            return nil
        }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        reader.reportDefect("expected one of \(choices), found \(text)")
        return nil
    }

    func template(_ reader: PropertyListReader) -> TextTemplate? {
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
