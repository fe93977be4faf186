/// A segue in an Xcode storyboard, or a relationship between a container and a child.
package struct XcodeSegue: Sendable, Equatable {
    package let id: String?
    /// The object id of the destination, which is a scene or a storyboard reference. The
    /// destination of an unwind segue is the exit object of the scene that contains the segue.
    package let destination: String
    /// The kind of the segue in the file, such as `show` or `push`.
    package let kind: String
    package let identifier: String?
    package let relationship: String?
    package let unwindAction: String?
    package let customClass: String?
    /// The event that performs the segue, such as `accessoryAction` for a tap on the accessory of a
    /// cell; nil for a tap on the owner itself.
    package let trigger: String?
    package let presentationStyle: String?
    /// The object that performs the segue when a user touches it, such as a button. Nil if the
    /// segue belongs to the view controller, so that only code performs it.
    package let owner: Owner?

    /// The object that a user touches to perform a segue.
    package struct Owner: Sendable, Equatable {
        package let id: String
        /// The name of the XML element, such as `barButtonItem`.
        package let kind: String
        /// The text that a user sees on the object; nil if the object has no text.
        package let title: String?
    }

    /// Whether the segue puts its destination on a stack, or in the other column.
    var shows: Bool { ["show", "push", "showDetail", "replace"].contains(kind) }
    /// Whether the segue shows its destination in a layer of its own.
    var presents: Bool { ["presentation", "modal", "sheet"].contains(kind) || presentsPopover }
    var presentsPopover: Bool { ["popover", "popoverPresentation"].contains(kind) }

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

/// Finds all segues of a scene. The view controller, its views and its gesture recognizers can own
/// segues. A preview segue, which is inside another segue, is left out.
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

/// Finds the text that a user sees on a control, such as a button or a table cell.
enum ControlTitle {
    static func title(of node: XMLNode) -> String? {
        switch node.name {
        case "barButtonItem": return XcodeBarItem.title(of: node)
        case "button":
            // Xcode keeps the title "Button" of the normal state beside that of a configuration.
            return node.child(key: "configuration")?.string("title")
                ?? node.child(key: "normal")?.string("title") ?? node["image"]
        case "tableViewCell", "collectionViewCell", "view", "stackView":
            return node.first { $0.name == "label" && $0.string("text") != nil }?.string("text")
        case "textField": return node["placeholder"] ?? node["text"]
        default: return node.string("title")
        }
    }
}
