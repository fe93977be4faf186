import JSON

/// A scene of the imported Waypost storyboard, before the scene is written as JSON.
struct ImportedScene {
    struct Control {
        var title: String
        var segue: String?
        var subtitle: String?
        var accessorySegue: String?

        /// The JSON of a bar item: a title, or an object with the title and the segue if there is a
        /// segue.
        fileprivate var item: JSONValue { segue == nil ? .string(title) : object }

        fileprivate var object: JSONValue {
            var members: JSONObject = ["title": .string(title)]
            members.add("subtitle", subtitle.map(JSONValue.string))
            members.add("segue", segue.map(JSONValue.string))
            members.add("accessorySegue", accessorySegue.map(JSONValue.string))
            return .object(members)
        }
    }

    let name: String
    var kind: String
    /// The title of the view controller; nil if there is none. The title of the view controller's
    /// navigation item is `itemTitle`.
    var title: String?
    var root: String?
    var tabs: [(title: String?, scene: String)] = []
    var rows: [JSONValue]?
    var segues: [JSONObject] = []
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
    /// The style in which a segue without a style presents the scene; nil for the automatic style.
    var presentation: String?
    var isModalInPresentation = false
    /// Whether nothing in the storyboards leads to the scene, but the app's source code creates it.
    var isShownByCode = false

    init(name: String, kind: String) {
        self.name = name
        self.kind = kind
    }

    static func rowJSON(_ rows: [Control]) -> [JSONValue] { rows.map(\.object) }

    /// Returns the JSON of the scene.
    /// - Parameter replacing: members from the import options, which replace the scene's own
    ///   members. A null removes the member.
    func json(replacing: JSONObject) -> JSONValue {
        var members: JSONObject = ["kind": .string(kind)]
        members.add("title", title.map(JSONValue.string))
        members.add("root", root.map(JSONValue.string))
        members.add("tabs", .unlessEmpty(tabs.map(Self.tab)))
        members.add("navigationItem", navigationItem)
        members.add("rows", rows.map(JSONValue.array))
        members.add("buttons", .unlessEmpty(buttons(besides: replacing)))
        members.add("toolbarItems", .unlessEmpty(toolbarItems.map(\.item)))
        members.add("hidesBottomBarWhenPushed", .ifTrue(hidesBottomBarWhenPushed))
        members.add("presentation", presentation.map(JSONValue.string))
        members.add("isModalInPresentation", .ifTrue(isModalInPresentation))
        members.add("shownByCode", .ifTrue(isShownByCode))
        members.add("segues", .unlessEmpty(segues.map(JSONValue.object)))
        members.add("unwindActions", .unlessEmpty(unwindActions.map(JSONValue.string)))
        for member in replacing.members {
            members =
                member.value == .null
                ? members.without([member.name])
                : members.setting(member.name, to: member.value)
        }
        return .object(members)
    }

    /// Returns the member of the scene that has the control of a segue, with a control that does
    /// nothing in its place. A button is left out.
    func member(withoutTapFor segue: String) -> (name: String, value: JSONValue) {
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
    private func buttons(besides replacing: JSONObject) -> [JSONValue] {
        let segue = replacing["select"]?["segue"]?.text
        return buttons.filter { segue == nil || $0.segue != segue }.map(\.object)
    }

    private static func tab(_ tab: (title: String?, scene: String)) -> JSONValue {
        var members = JSONObject()
        members.add("title", tab.title.map(JSONValue.string))
        members.add("scene", .string(tab.scene))
        return .object(members)
    }

    private var navigationItem: JSONValue? {
        var members = JSONObject()
        members.add("title", itemTitle.map(JSONValue.string))
        members.add("backButtonTitle", backButtonTitle.map(JSONValue.string))
        members.add("hidesBackButton", .ifTrue(hidesBackButton))
        members.add("leftItems", .unlessEmpty(leftItems.map(\.item)))
        members.add("leftItemsSupplementBackButton", .ifTrue(leftItemsSupplementBackButton))
        members.add("rightItems", .unlessEmpty(rightItems.map(\.item)))
        return members.members.isEmpty ? nil : .object(members)
    }
}

extension JSONValue? {
    /// Returns an array; nil for one without elements, which a storyboard leaves out.
    fileprivate static func unlessEmpty(_ elements: [JSONValue]) -> JSONValue? {
        elements.isEmpty ? nil : .array(elements)
    }

    /// Returns true; nil for false, which a storyboard leaves out.
    fileprivate static func ifTrue(_ flag: Bool) -> JSONValue? { flag ? true : nil }
}
