/// A segue, or a relationship between a container and its content.
public struct XcodeSegue: Sendable, Equatable {
    public let id: String?
    /// The object id of the destination: a scene, a reference or, for an unwind segue, the exit
    /// object.
    public let destination: String
    /// The kind as the file has it, such as `show` or `push`.
    public let kind: String
    public let identifier: String?
    public let relationship: String?
    public let unwindAction: String?
    public let customClass: String?
    /// The trigger, such as `accessoryAction`; nil for a tap on the owner itself.
    public let trigger: String?
    public let presentationStyle: String?
    /// The object that owns the segue; nil if the view controller owns it and its code performs the
    /// segue.
    public let owner: Owner?

    /// The object that a user touches to perform a segue.
    public struct Owner: Sendable, Equatable {
        public let id: String
        /// The element's name, such as `barButtonItem`.
        public let kind: String
        /// The text that the user sees on the object; nil if it has none.
        public let title: String?
    }

    init?(_ node: XMLNode, owner: XMLNode, isController: Bool) {
        guard let destination = node["destination"], let kind = node["kind"] else { return nil }
        id = node["id"]
        self.destination = destination
        self.kind = kind
        identifier = node["identifier"]
        relationship = node["relationship"]
        unwindAction = node["unwindAction"]
        customClass = node["customClass"]
        trigger = node["trigger"]
        presentationStyle = node["modalPresentationStyle"]
        self.owner =
            isController
            ? nil
            : Owner(
                id: owner["id"] ?? "", kind: owner.name, title: ControlTitle.title(of: owner))
    }
}

/// Finds the segues of all objects of a scene. Gesture recognizers and views own segues, as the
/// view controller does. Tie-breakers, and preview segues inside another segue, are not segues of a
/// scene.
enum SegueSearch {
    static func segues(below objects: XMLNode, controller: XMLNode) -> [XcodeSegue] {
        objects.children.flatMap { segues(in: $0, controller: controller) }
    }

    private static func segues(in node: XMLNode, controller: XMLNode) -> [XcodeSegue] {
        node.children.flatMap { child -> [XcodeSegue] in
            guard child.name == "connections" else {
                return child.name == "segue" ? [] : segues(in: child, controller: controller)
            }
            return child.children.filter { $0.name == "segue" }.compactMap {
                XcodeSegue($0, owner: node, isController: node === controller)
            }
        }
    }
}

/// Finds the text that a user sees on a control.
enum ControlTitle {
    static func title(of node: XMLNode) -> String? {
        switch node.name {
        case "barButtonItem": return XcodeBarItem.title(of: node)
        case "button":
            return node.child(key: "normal")?.string("title")
                ?? node.child(key: "configuration")?.string("title") ?? node["image"]
        case "tableViewCell", "collectionViewCell", "view", "stackView":
            return node.first { $0.name == "label" && $0.string("text") != nil }?.string("text")
        case "textField": return node["placeholder"] ?? node["text"]
        default: return node.string("title")
        }
    }
}
