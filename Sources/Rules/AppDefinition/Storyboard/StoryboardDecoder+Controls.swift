import NavigationRules

/// The decoding of flags, of controls and of segues.
extension StoryboardDecoder {
    /// Decodes the values of flags.
    func flags(from reader: PropertyListReader) -> [String: Bool] {
        guard let members = reader.dictionary("a dictionary of flags") else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: members.keys.map { ($0, members[$0].boolean() ?? false) })
    }

    private func condition(from reader: PropertyListReader) -> FlagCondition? {
        reader.ifPresent?.string().map(FlagCondition.init)
    }

    /// Reports a defect if a part of the storyboard that can have no condition has one.
    /// - Parameter owner: the part with its article, such as "a tab".
    func refuseCondition(_ members: PropertyListMembers, _ owner: String) {
        members["when"].ifPresent?.reportDefect(
            "\(owner) has no condition: only controls and segues do")
    }

    /// Decodes table rows that the storyboard itself contains.
    /// - Parameter reader: a reader for the member `rows` of a scene.
    /// - Returns: nil if the member is not an array. It is then missing, or it is the name of rows
    ///   from the app's data.
    func fixedRows(from reader: PropertyListReader) -> [FixedRow]? {
        guard reader.isArray else { return nil }
        return reader.array()?.map { row in
            guard let members = row.dictionary("a row (a dictionary)") else {
                return FixedRow(title: "")
            }
            members.refuseKeys(besides: [
                "title", "subtitle", "segue", "accessorySegue", "when", "set",
            ])
            let subtitle = members["subtitle"].ifPresent?.string()
            let segue = members["segue"].ifPresent?.string()
            let accessorySegue = members["accessorySegue"].ifPresent?.string()
            return FixedRow(
                title: members["title"].string() ?? "", subtitle: subtitle, segue: segue,
                accessorySegue: accessorySegue, when: condition(from: members["when"]),
                sets: members["set"].ifPresent.map(flags) ?? [:])
        }
    }

    func selectSegue(from reader: PropertyListReader) -> String? {
        guard reader.isDictionary, let members = reader.dictionary() else { return nil }
        members.refuseKeys(besides: ["segue"])
        return members["segue"].string()
    }

    func button(from reader: PropertyListReader) -> Control {
        guard let members = reader.dictionary("a button (a dictionary)") else {
            return Control(title: "", segue: nil)
        }
        return control(from: members, at: reader)
    }

    /// Decodes a button or a bar item. A tap must have an effect, unless the item is a dictionary
    /// only to have a condition.
    private func control(
        from members: PropertyListMembers, at reader: PropertyListReader, isOptional: Bool = false
    ) -> Control {
        members.refuseKeys(besides: ["title", "segue", "when", "set"])
        let segue = members["segue"].ifPresent?.string()
        if !isOptional, members["segue"].ifPresent == nil, members["set"].ifPresent == nil {
            reader.reportDefect("a tap has no effect: name a `segue`, or flags in `set`")
        }
        return Control(
            title: members["title"].string() ?? "", segue: segue,
            when: condition(from: members["when"]),
            sets: members["set"].ifPresent.map(flags) ?? [:])
    }

    /// Decodes the items of a bar. Each item is a string, or a dictionary with a title and what a
    /// tap does.
    func items(from reader: PropertyListReader) -> [Control] {
        guard let elements = reader.array("an array of items") else { return [] }
        return elements.map { element in
            guard element.isDictionary, let members = element.dictionary() else {
                return Control(title: element.string() ?? "", segue: nil)
            }
            return control(
                from: members, at: element, isOptional: members["when"].ifPresent != nil)
        }
    }

    // MARK: Segues

    private enum SegueKind: String, CaseIterable {
        case show, push, present, unwind, dismiss, custom
    }

    func segue(from reader: PropertyListReader) -> Segue {
        // The name is not valid in a storyboard, and it differs from all other names.
        let unnamed = "unusable \(reader.keyPath)"
        guard let members = reader.dictionary() else {
            return Segue(identifier: unnamed, action: .custom)
        }
        members.refuseKeys(besides: [
            "identifier", "kind", "scene", "action", "presentationStyle", "parameters",
            "when",
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
        case .dismiss:
            refuse(members["scene"], "no segue of kind dismiss")
            refuse(members["parameters"], "no segue of kind dismiss")
            action = .dismiss
        case .custom: action = .custom
        case nil: action = nil
        }
        guard let action else { return Segue(identifier: identifier ?? unnamed, action: .custom) }
        return Segue(
            identifier: identifier ?? unnamed, action: action,
            parameters: kind == .dismiss
                ? [:] : Dictionary(templates ?? [], uniquingKeysWith: { first, _ in first }),
            when: condition(from: members["when"]))
    }

    /// Reports a defect if `reader` has a value. The message is `owner`, followed by "has this
    /// key".
    /// - Parameter owner: a description of what can have the key, such as "only a segue of kind
    ///   present".
    private func refuse(_ reader: PropertyListReader, _ owner: String) {
        reader.ifPresent?.reportDefect("\(owner) has this key")
    }
}
