/// The navigation item of a view controller.
public struct XcodeNavigationItem: Sendable, Equatable {
    public let title: String?
    public let backButtonTitle: String?
    public let hidesBackButton: Bool
    public let leftItemsSupplementBackButton: Bool
    public let leftItems: [XcodeBarItem]
    public let rightItems: [XcodeBarItem]

    init(_ node: XMLNode?) {
        title = node?.string("title")
        backButtonTitle =
            node?.child(key: "backBarButtonItem")?.string("title")
            ?? node?["backButtonTitle"]
        hidesBackButton = node?.isSet("hidesBackButton") ?? false
        leftItemsSupplementBackButton = node?.isSet("leftItemsSupplementBackButton") ?? false
        leftItems = Self.items("left", of: node)
        rightItems = Self.items("right", of: node)
    }

    private static func items(_ side: String, of node: XMLNode?) -> [XcodeBarItem] {
        guard let node else { return [] }
        if let list = node.child(key: "\(side)BarButtonItems") {
            return XcodeBarItem.items(list.children)
        }
        return XcodeBarItem.items(node.child(key: "\(side)BarButtonItem").map { [$0] } ?? [])
    }
}

/// An item of a navigation bar or a toolbar.
public struct XcodeBarItem: Sendable, Equatable {
    /// The object id.
    public let id: String
    public let title: String

    static func items(_ nodes: [XMLNode]) -> [XcodeBarItem] {
        nodes.compactMap { node in
            guard node.name == "barButtonItem", let id = node["id"],
                !["flexibleSpace", "fixedSpace"].contains(node["systemItem"])
            else { return nil }
            return XcodeBarItem(id: id, title: title(of: node))
        }
    }

    /// Returns the title of a bar button item. The first that exists is taken: its own title, the
    /// title of the system item, the title of a button in its custom view, the name of its image.
    static func title(of node: XMLNode) -> String {
        let systemItem = node["systemItem"].map(systemTitle)
        let button = node.children.lazy.compactMap { ControlTitle.title(of: $0) }.first
        return node.string("title") ?? systemItem ?? button ?? node["image"] ?? "Item"
    }

    /// Returns the name of a system item as a title: `Add` for `add`.
    static func systemTitle(_ item: String) -> String {
        item.prefix(1).uppercased() + item.dropFirst()
    }
}

/// The tab bar item of a view controller.
public struct XcodeTabBarItem: Sendable, Equatable {
    public let title: String?
    /// The system item, such as `favorites`, which has a title of its own.
    public let systemItem: String?

    init(_ node: XMLNode) {
        title = node.string("title")
        systemItem = node["systemItem"]
    }
}
