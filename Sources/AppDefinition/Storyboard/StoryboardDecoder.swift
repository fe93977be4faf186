import Navigation
import PropertyLists

/// Decodes a storyboard draft from a property list, and reports missing, ill-typed and unknown
/// members.
///
/// The decoder omits or replaces invalid parts of the draft, so that the later checks can report
/// the other defects in the same run.
struct StoryboardDecoder {
    func draft(from reader: PropertyListReader) -> StoryboardDraft? {
        guard let members = reader.dictionary("a storyboard (a dictionary)") else { return nil }
        members.refuseKeys(besides: [
            "name", "loginScene", "initialScene", "segments", "scenes", "data",
        ])
        return StoryboardDraft(
            name: members["name"].string() ?? "",
            loginScene: members["loginScene"].ifPresent?.string(),
            initialScene: members["initialScene"].ifPresent?.string(),
            segments: members["segments"].ifPresent?.array()?.compactMap(segment) ?? [],
            scenes: scenes(from: members["scenes"]))
    }

    private func segment(
        from reader: PropertyListReader
    ) -> (title: String?, scene: Scene.Name)? {
        guard let members = reader.dictionary() else { return nil }
        members.refuseKeys(besides: ["title", "scene"])
        let title = members["title"].ifPresent?.string()
        return members["scene"].string().map { (title, $0) }
    }

    private func scenes(from reader: PropertyListReader) -> [Scene] {
        guard let members = reader.dictionary("a dictionary of scenes") else { return [] }
        return members.keys.compactMap { scene(named: $0, from: members[$0]) }
    }

    private static let keys: Set<String> = [
        "kind", "access", "title", "bottomBar", "rows", "select", "image", "parameters", "path",
        "parent", "navigationItem", "hidesBottomBarWhenPushed", "toolbarItems", "submit",
    ]

    private func scene(named name: String, from reader: PropertyListReader) -> Scene? {
        guard let members = reader.dictionary("a scene (a dictionary)") else { return nil }
        members.refuseKeys(besides: Self.keys)
        let kind: Scene.Kind? = choice(members["kind"])
        let rows = members["rows"].ifPresent?.string()
        let image = members["image"].ifPresent?.string()
        return Scene(
            name: name,
            kind: kind ?? (rows != nil ? .table : image != nil ? .image : .blank),
            access: members["access"].ifPresent.flatMap { choice($0) } ?? .app,
            title: members["title"].ifPresent.flatMap(template),
            bottomBar: members["bottomBar"].ifPresent.flatMap(template),
            rows: rows,
            select: members["select"].ifPresent?.string(),
            image: image,
            parameters: members["parameters"].ifPresent.map(parameters) ?? [],
            path: members["path"].ifPresent.flatMap(pattern),
            parent: members["parent"].ifPresent?.string(),
            navigationItem: members["navigationItem"].ifPresent.map(navigationItem)
                ?? NavigationItem(),
            hidesBottomBarWhenPushed:
                members["hidesBottomBarWhenPushed"].ifPresent?.boolean() ?? false,
            toolbarItems: members["toolbarItems"].ifPresent?.strings() ?? [],
            submit: members["submit"].ifPresent.flatMap { choice($0) })
    }

    /// The maximum number of parameters of a scene, which is far more than apps need. The check of
    /// a scene takes quadratic time in this number.
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

    private func navigationItem(from reader: PropertyListReader) -> NavigationItem {
        guard let members = reader.dictionary() else { return NavigationItem() }
        members.refuseKeys(besides: [
            "title", "backButtonTitle", "hidesBackButton", "leftItems",
            "leftItemsSupplementBackButton", "rightItems",
        ])
        return NavigationItem(
            title: members["title"].ifPresent?.string(),
            backButtonTitle: members["backButtonTitle"].ifPresent?.string(),
            hidesBackButton: members["hidesBackButton"].ifPresent?.boolean() ?? false,
            leftItems: members["leftItems"].ifPresent?.strings() ?? [],
            leftItemsSupplementBackButton:
                members["leftItemsSupplementBackButton"].ifPresent?.boolean() ?? false,
            rightItems: members["rightItems"].ifPresent?.strings() ?? [])
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
        guard let text = reader.string() else { return nil }
        do {
            return try TextTemplate(text)
        } catch {
            reader.reportDefect(error.description)
            return nil
        }
    }

    private func pattern(_ reader: PropertyListReader) -> PathPattern? {
        guard let text = reader.string() else { return nil }
        do {
            return try PathPattern(text)
        } catch {
            reader.reportDefect(error.description)
            return nil
        }
    }
}
