/// A scene of the imported Waypost storyboard, before the scene is written as JSON.
struct ImportedScene {
    struct Control {
        var title: String
        var segue: String?
        var subtitle: String?
        var accessorySegue: String?

        /// The JSON of a bar item: a title, or an object with the title and the segue if there is a
        /// segue.
        fileprivate var item: OrderedJSON {
            segue == nil ? .string(title) : object
        }

        fileprivate var object: OrderedJSON {
            .object(
                [("title", .string(title))]
                    + [
                        ("subtitle", subtitle), ("segue", segue),
                        ("accessorySegue", accessorySegue),
                    ].compactMap { name, text in text.map { (name, .string($0)) } })
        }
    }

    let name: String
    var kind: String
    /// The title of the view controller; nil if there is none. The title of the view controller's
    /// navigation item is `itemTitle`.
    var title: String?
    var root: String?
    var tabs: [(title: String?, scene: String)] = []
    var rows: [OrderedJSON]?
    var segues: [[(String, OrderedJSON)]] = []
    var buttons: [Control] = []
    var unwindActions: [String] = []
    var itemTitle: String?
    var backButtonTitle: String?
    var hidesBackButton = false
    var leftItemsSupplementBackButton = false
    var leftItems: [Control] = []
    var rightItems: [Control] = []
    var toolbarItems: [Control] = []
    var hidesBottomBarWhenPushed = false
    var isModalInPresentation = false
    /// Whether nothing in the storyboards leads to the scene, but the app's source code creates it.
    var isShownByCode = false

    init(name: String, kind: String) {
        self.name = name
        self.kind = kind
    }

    static func rowJSON(_ rows: [Control]) -> [OrderedJSON] { rows.map(\.object) }

    /// Returns the JSON of the scene.
    /// - Parameter replacing: members from the import options, which replace the scene's own
    ///   members. A null removes the member.
    func json(replacing: [(String, OrderedJSON)]) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [("kind", .string(kind))]
        func add(_ name: String, _ value: OrderedJSON?) {
            if let value { members.append((name, value)) }
        }
        add("title", title.map { .string($0) })
        add("root", root.map { .string($0) })
        add("tabs", tabs.isEmpty ? nil : .array(tabs.map(Self.tab)))
        add("navigationItem", navigationItem)
        add("rows", rows.map { .array($0) })
        let buttons = buttons(besides: replacing)
        add("buttons", buttons.isEmpty ? nil : .array(buttons))
        add("toolbarItems", toolbarItems.isEmpty ? nil : .array(toolbarItems.map(\.item)))
        add("hidesBottomBarWhenPushed", hidesBottomBarWhenPushed ? .boolean(true) : nil)
        add("isModalInPresentation", isModalInPresentation ? .boolean(true) : nil)
        add("shownByCode", isShownByCode ? .boolean(true) : nil)
        add("segues", segues.isEmpty ? nil : .array(segues.map { .object($0) }))
        add(
            "unwindActions",
            unwindActions.isEmpty ? nil : .array(unwindActions.map { .string($0) }))
        for (name, value) in replacing {
            let place = members.firstIndex { $0.0 == name }
            if let place { members.remove(at: place) }
            if case .null = value { continue }
            members.insert((name, value), at: place ?? members.count)
        }
        return .object(members)
    }

    /// Returns the member of the scene that has the control of a segue, with a control that does
    /// nothing in its place. A button is left out.
    func member(withoutTapFor segue: String) -> (String, OrderedJSON) {
        func without(_ controls: [Control]) -> [Control] {
            controls.map { $0.segue == segue ? Control(title: $0.title) : $0 }
        }
        var scene = self
        scene.leftItems = without(leftItems)
        scene.rightItems = without(rightItems)
        if let item = scene.navigationItem, item.compact != navigationItem?.compact {
            return ("navigationItem", item)
        }
        if toolbarItems.contains(where: { $0.segue == segue }) {
            return ("toolbarItems", .array(without(toolbarItems).map(\.item)))
        }
        return ("buttons", .array(buttons.filter { $0.segue != segue }.map(\.object)))
    }

    /// Returns the JSON of the scene's buttons. If the member `select` in `replacing` lets the rows
    /// of a table perform a segue, the button for this segue is left out.
    private func buttons(besides replacing: [(String, OrderedJSON)]) -> [OrderedJSON] {
        guard case .object(let select)? = replacing.first(where: { $0.0 == "select" })?.1,
            case .string(let segue)? = select.first(where: { $0.0 == "segue" })?.1
        else { return buttons.map(\.object) }
        return buttons.filter { $0.segue != segue }.map(\.object)
    }

    private static func tab(_ tab: (title: String?, scene: String)) -> OrderedJSON {
        .object(
            (tab.title.map { [("title", .string($0))] } ?? []) + [("scene", .string(tab.scene))])
    }

    private var navigationItem: OrderedJSON? {
        var members: [(String, OrderedJSON)] = []
        if let itemTitle { members.append(("title", .string(itemTitle))) }
        if let backButtonTitle { members.append(("backButtonTitle", .string(backButtonTitle))) }
        if hidesBackButton { members.append(("hidesBackButton", .boolean(true))) }
        if !leftItems.isEmpty { members.append(("leftItems", .array(leftItems.map(\.item)))) }
        if leftItemsSupplementBackButton {
            members.append(("leftItemsSupplementBackButton", .boolean(true)))
        }
        if !rightItems.isEmpty { members.append(("rightItems", .array(rightItems.map(\.item)))) }
        return members.isEmpty ? nil : .object(members)
    }
}
