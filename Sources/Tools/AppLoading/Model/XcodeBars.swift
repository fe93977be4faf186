/// The navigation item of a view controller in an Xcode storyboard.
package struct XcodeNavigationItem: Sendable, Equatable {
    package let title: String?
    package let backButtonTitle: String?
    package let hidesBackButton: Bool
    package let leftItemsSupplementBackButton: Bool
    package let leftItems: [XcodeBarItem]
    package let rightItems: [XcodeBarItem]

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

    /// Returns the items on one side of the bar. Interface Builder writes several items in an
    /// element such as `rightBarButtonItems`, and a single one with the key `rightBarButtonItem`.
    private static func items(_ side: String, of node: XMLNode?) -> [XcodeBarItem] {
        let key = "\(side)BarButtonItem"
        let list = node?.child("\(key)s") ?? node?.child(key: "\(key)s")
        return XcodeBarItem.items(list?.children ?? [node?.child(key: key)].compactMap(\.self))
    }
}

/// An item of a navigation bar or a toolbar in an Xcode storyboard.
package struct XcodeBarItem: Sendable, Equatable {
    /// The Xcode object id, such as `abc-de-fgh`.
    package let id: String
    package let title: String

    static func items(_ nodes: [XMLNode]) -> [XcodeBarItem] {
        nodes.compactMap { node in
            guard node.name == "barButtonItem", let id = node["id"],
                !["flexibleSpace", "fixedSpace"].contains(node["systemItem"])
            else { return nil }
            return XcodeBarItem(id: id, title: title(of: node))
        }
    }

    /// Returns the title of a bar button item. If the item has no title, returns the name of the
    /// system item, the title of a button in the item's custom view, or the name of the item's
    /// image, in this order. If all of them are missing, returns `Item`.
    static func title(of node: XMLNode) -> String {
        let systemItem = node["systemItem"].map(systemTitle)
        let button = node.children.lazy.compactMap { ControlTitle.title(of: $0) }.first
        return node.string("title") ?? systemItem ?? button ?? node["image"] ?? "Item"
    }

    /// Returns a title for a system item, such as `Add` for `add`.
    static func systemTitle(_ item: String) -> String {
        item.prefix(1).uppercased() + item.dropFirst()
    }
}

/// The tab bar item of a view controller in an Xcode storyboard.
package struct XcodeTabBarItem: Sendable, Equatable {
    package let title: String?
    /// The name of the system item, such as `favorites`; nil if the item is not a system item.
    package let systemItem: String?

    init(_ node: XMLNode) {
        title = node.string("title")
        systemItem = node["systemItem"]
    }
}
