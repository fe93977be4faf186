import JSON
import NavigationRules

// The stored form of a window: JSON with short names, as there may be millions of rows.

extension JSONWriter {
    package mutating func window(_ window: StoredWindow) {
        object { json in
            json.member("lifecycle", window.lifecycle.rawValue)
            if window.isStrict { json.member("strict", true) }
            switch window.auth {
            case .loggedIn(let username): json.member("user", username)
            case .guest: json.member("guest", true)
            case .loggedOut: break
            }
            json.array("stack", window.stack) { $0.entry($1) }
            if let segments = window.segments { json.segments(segments) }
            if let pending = window.pending { json.pending(pending) }
            if !window.flags.isEmpty { json.flags(window.flags) }
            if let layers = window.layers {
                json.array("layers", layers) { json, layer in
                    json.layer(layer, "holders") { $0.holder($1) }
                }
            }
            // Each number is absent if it is 1. Both are absent while the window has made only its
            // first navigation controller.
            if window.navigationController != 1 {
                json.member("nc", window.navigationController)
            }
            if window.lastNavigationController != 1 {
                json.member("lastNC", window.lastNavigationController)
            }
            json.member("event", window.lastEvent)
            json.member("vc", window.lastViewController)
        }
    }

    /// Writes the member with the values of flags.
    mutating func flags(_ flags: [String: Bool]) {
        name("flags")
        write(flags)
    }

    /// Writes the members of an object with the window's segments.
    mutating func segments(_ segments: StoredWindow.SegmentRoots) {
        member("selected", segments.selectedIndex)
        array("roots", segments.roots) { json, root in
            if let root { json.integer(root) } else { json.null() }
        }
        array("kept", segments.kept) { $0.entry($1) }
    }

    /// Writes a layer.
    /// - Parameters:
    ///   - name: the name of the member with the stacks.
    ///   - write: writes the object of a stack.
    mutating func layer<Stack>(
        _ layer: LayerState<Stack>, _ name: StaticString,
        _ write: (inout JSONWriter, Stack) -> Void
    ) {
        object { json in
            if let style = layer.presentationStyle { json.member("style", style.rawValue) }
            if let presenter = layer.presenter { json.member("by", presenter) }
            if layer.isContainerModal { json.member("modal", true) }
            if let tabBar = layer.tabBar { json.member("tabs", tabBar) }
            if !layer.tabScenes.isEmpty { json.member("scenes", layer.tabScenes) }
            if layer.selectedIndex != 0 { json.member("selected", layer.selectedIndex) }
            json.array(name, layer.stacks, write)
        }
    }

    private mutating func holder(_ holder: StoredWindow.Holder) {
        object { json in
            json.member("n", holder.number)
            if holder.isBare { json.member("bare", true) }
            json.array("stack", holder.stack) { $0.entry($1) }
        }
    }

    mutating func entry(_ entry: StoredWindow.Entry) {
        object { json in
            json.member("n", entry.number)
            json.member("s", entry.scene)
            if !entry.parameters.names.isEmpty {
                json.object("p") { json in
                    for (name, value) in zip(entry.parameters.names, entry.parameters.values) {
                        json.name(escaping: name)
                        json.string(value)
                    }
                }
            }
            if entry.isViewLoaded { json.member("l", true) }
            if entry.hasChanges {
                json.name("c")
                json.changes(entry.changes)
            }
        }
    }

    private mutating func changes(_ changes: ViewControllerChanges) {
        let item = changes.navigationItem
        object { json in
            if let title = changes.title { json.member("title", title) }
            if let hides = changes.hidesBottomBarWhenPushed { json.member("hides", hides) }
            if let isModal = changes.isModalInPresentation { json.member("modal", isModal) }
            if let shouldPop = changes.shouldPop { json.member("pops", shouldPop) }
            if let shouldSelect = changes.shouldSelect { json.member("selects", shouldSelect) }
            if let title = changes.tabBarItem.title { json.member("tabTitle", title) }
            if let badge = changes.tabBarItem.badge { json.member("tabBadge", badge) }
            if let title = item.title { json.member("itemTitle", title) }
            if let title = item.backButtonTitle { json.member("backTitle", title) }
            if let hides = item.hidesBackButton { json.member("hidesBack", hides) }
            if let items = item.leftItems { json.member("left", items) }
            if let items = item.rightItems { json.member("right", items) }
            if let supplement = item.leftItemsSupplementBackButton {
                json.member("supplement", supplement)
            }
            if let text = changes.bottomBarText { json.member("barText", text) }
            if let items = changes.toolbarItems { json.member("tools", items) }
        }
    }
}

extension StoredWindow {
    /// Decodes a window.
    /// - Parameters:
    ///   - json: the window without its revision, as `JSONWriter.window` writes it.
    ///   - revision: the revision of the window.
    /// - Returns: nil if `json` is not in the format of `JSONWriter.window`, or is not a valid
    ///   window.
    package init?(_ json: JSONValue, revision: Int) {
        guard let lifecycle = json["lifecycle"]?.text.flatMap(LifecycleOrder.init),
            let stack = json["stack"]?.all(Entry.init),
            let lastEvent = json["event"]?.storedNumber,
            let lastViewController = json["vc"]?.storedNumber,
            let segments = json.ifPresent("selected", { _ in SegmentRoots(json) }),
            let layers = json.ifPresent(
                "layers", { $0.all { Layer($0, "holders", Holder.init) } }),
            layers?.allSatisfy({ $0.stacks.indices.contains($0.selectedIndex) }) ?? true,
            let pending = json.pendingAction(),
            let flags = [String: Bool](storedFlags: json["flags"])
        else { return nil }
        self.init(
            lifecycle: lifecycle, isStrict: json["strict"]?.flag ?? false, revision: revision,
            auth: json["user"].map { .loggedIn(username: $0.text) }
                ?? (json["guest"]?.flag == true ? .guest : .loggedOut),
            stack: stack, layers: layers,
            navigationController: json["nc"]?.storedNumber ?? 1,
            lastNavigationController: json["lastNC"]?.storedNumber ?? 1, segments: segments,
            pending: pending, flags: flags, lastEvent: lastEvent,
            lastViewController: lastViewController)
        guard isSound else { return nil }
    }
}

extension [String: Bool] {
    /// Decodes the values of flags; there are none if the member is absent.
    /// - Returns: nil if a value is no boolean.
    init?(storedFlags json: JSONValue?) {
        self = [:]
        guard let json else { return }
        guard case .object(let object) = json else { return nil }
        for member in object.members {
            guard let value = member.value.flag else { return nil }
            self[member.name] = value
        }
    }
}

extension StoredWindow.SegmentRoots {
    /// Decodes the root view controllers of the window's segments.
    /// - Parameter json: an object with the number of each root view controller in `roots`, or null
    ///   if the view controller has not been created yet. The member `kept` has the complete root
    ///   view controllers that are on no stack.
    /// - Returns: nil if the selected segment does not exist, if an element of `roots` is neither
    ///   null nor a number, or if an element of `kept` is invalid.
    init?(_ json: JSONValue) {
        guard let roots = json["roots"]?.elements, let selected = json["selected"]?.number,
            roots.indices.contains(selected),
            roots.allSatisfy({ $0 == .null || $0.storedNumber != nil }),
            let kept = json["kept"]?.all(StoredWindow.Entry.init)
        else { return nil }
        self.init(selectedIndex: selected, roots: roots.map(\.storedNumber), kept: kept)
    }
}

extension LayerState {
    /// Decodes a layer: the window's root layer or a presentation over it.
    /// - Parameters:
    ///   - name: the name of the member with the stacks.
    ///   - stack: decodes a stack.
    /// - Returns: nil if the value is not a valid layer. Whether the selected tab exists is not checked.
    init?(_ json: JSONValue, _ name: String, _ stack: (JSONValue) -> Stack?) {
        guard let stacks = json[name]?.all(stack),
            let style = json.ifPresent("style", { $0.text.flatMap(PresentationStyle.init) }),
            let scenes = json["scenes"].map(\.texts) ?? [],
            let selected = json["selected"].map(\.storedNumber) ?? 0
        else { return nil }
        self.init(
            presentationStyle: style, presenter: json["by"]?.storedNumber,
            isContainerModal: json["modal"]?.flag ?? false,
            tabBar: json["tabs"]?.text, tabScenes: scenes, selectedIndex: selected,
            stacks: stacks)
    }
}

extension StoredWindow.Holder {
    fileprivate init?(_ json: JSONValue) {
        guard let number = json["n"]?.storedNumber,
            let stack = json["stack"]?.all(StoredWindow.Entry.init)
        else { return nil }
        self.init(
            number: number, isBare: json["bare"]?.flag ?? false,
            stack: stack)
    }
}

extension StoredWindow.Entry {
    init?(_ json: JSONValue) {
        guard let number = json["n"]?.storedNumber, let scene = json["s"]?.text else { return nil }
        var parameters = Parameters.none
        if case .object(let object)? = json["p"] {
            parameters = Parameters(
                names: object.members.map(\.name),
                values: object.members.map { $0.value.text ?? "" })
        }
        self.init(
            number: number, scene: scene, parameters: parameters,
            isViewLoaded: json["l"]?.flag ?? false,
            changes: json["c"].map(ViewControllerChanges.init) ?? ViewControllerChanges())
    }
}

extension ViewControllerChanges {
    fileprivate init(_ json: JSONValue) {
        self.init(
            title: json["title"].map(\.text),
            navigationItem: NavigationItemChanges(
                title: json["itemTitle"].map(\.text),
                backButtonTitle: json["backTitle"].map(\.text),
                hidesBackButton: json["hidesBack"]?.flag,
                leftItems: json["left"]?.texts,
                leftItemsSupplementBackButton: json["supplement"]?.flag,
                rightItems: json["right"]?.texts),
            hidesBottomBarWhenPushed: json["hides"]?.flag,
            bottomBarText: json["barText"].map(\.text), toolbarItems: json["tools"]?.texts,
            isModalInPresentation: json["modal"]?.flag,
            tabBarItem: TabBarItemChanges(
                title: json["tabTitle"].map(\.text), badge: json["tabBadge"].map(\.text)),
            shouldPop: json["pops"]?.flag, shouldSelect: json["selects"]?.flag)
    }
}

extension JSONValue {
    /// Decodes the member of an object.
    /// - Returns: nil if the member cannot be decoded; `.some(nil)` if there is no such member.
    func ifPresent<Value>(_ name: String, _ decode: (JSONValue) -> Value?) -> Value?? {
        guard let member = self[name] else { return .some(nil) }
        return decode(member).map { .some($0) }
    }
}
