import JSON
import Navigation

// The stored form of a window: JSON with short names, as there may be millions of rows.

extension JSONWriter {
    mutating func window(_ window: WindowArchive) {
        object { json in
            json.member("lifecycle", window.lifecycle.rawValue)
            if case .loggedIn(let username) = window.auth { json.member("user", username) }
            json.name("stack")
            json.array(window.stack) { $0.entry($1) }
            if let segments = window.segments {
                json.member("selected", segments.selectedIndex)
                json.name("roots")
                json.array(segments.roots) { json, root in
                    if let root { json.integer(root) } else { json.null() }
                }
                json.name("kept")
                json.array(segments.kept) { $0.entry($1) }
            }
            if let link = window.pendingLink {
                json.member("link", link.path)
                json.member("linkSegments", link.segments)
            }
            json.member("event", window.lastEvent)
            json.member("vc", window.lastViewController)
        }
    }

    private mutating func entry(_ entry: WindowArchive.Entry) {
        object { json in
            json.member("n", entry.number)
            json.member("s", entry.scene)
            if !entry.parameters.names.isEmpty {
                json.name("p")
                json.object { json in
                    for (name, value) in zip(entry.parameters.names, entry.parameters.values) {
                        json.name(escaping: name)
                        json.string(value)
                    }
                }
            }
            if entry.isViewLoaded { json.member("l", true) }
            if entry.changes != ViewControllerChanges() {
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

extension WindowArchive {
    /// Decodes a window.
    /// - Returns: nil if the value is not in the format of `JSONWriter.window`, or not a valid window.
    init?(_ json: JSONValue, revision: Int) {
        guard let lifecycle = json["lifecycle"]?.text.flatMap(LifecycleOrder.init),
            let stack = json["stack"]?.elements?.map(Entry.init), !stack.contains(nil),
            let lastEvent = json["event"]?.storedNumber,
            let lastViewController = json["vc"]?.storedNumber
        else { return nil }
        var segments: SegmentRoots?
        if let selected = json["selected"] {
            segments = SegmentRoots(selected: selected, in: json)
            guard segments != nil else { return nil }
        }
        self.init(
            lifecycle: lifecycle, revision: revision,
            auth: json["user"].map { .loggedIn(username: $0.text) } ?? .loggedOut,
            stack: stack.compactMap { $0 }, segments: segments,
            pendingLink: json["link"]?.text.map { path in
                Link(path: path, segments: json["linkSegments"]?.texts ?? [])
            }, lastEvent: lastEvent, lastViewController: lastViewController)
        guard isSound else { return nil }
    }

    /// Whether the window is valid for its operations: it has a view controller, has none twice, and
    /// has no number above the last one given out.
    private var isSound: Bool {
        let kept = segments?.kept ?? []
        var numbers: Set<Int> = []
        return !stack.isEmpty
            && (stack + kept).allSatisfy {
                $0.number <= lastViewController && numbers.insert($0.number).inserted
            }
    }
}

extension WindowArchive.SegmentRoots {
    /// Decodes the segment roots.
    /// - Returns: nil if the selected segment does not exist, or a root is neither null nor a number.
    fileprivate init?(selected: JSONValue, in json: JSONValue) {
        guard let roots = json["roots"]?.elements, let selected = selected.number,
            roots.indices.contains(selected),
            roots.allSatisfy({ $0 == .null || $0.storedNumber != nil }),
            let kept = json["kept"]?.elements?.map(WindowArchive.Entry.init), !kept.contains(nil)
        else { return nil }
        self.init(
            selectedIndex: selected, roots: roots.map(\.storedNumber),
            kept: kept.compactMap { $0 })
    }
}

extension WindowArchive.Entry {
    fileprivate init?(_ json: JSONValue) {
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
            bottomBarText: json["barText"].map(\.text), toolbarItems: json["tools"]?.texts)
    }
}
