/// A button or a bar item of an Xcode storyboard that performs no segue.
package struct XcodeControl: Sendable, Equatable {
    /// The Xcode object id, such as `abc-de-fgh`.
    package let id: String
    package let title: String
    /// The selector of the method that a tap calls, such as `close:`; nil if the storyboard names
    /// none.
    package let selector: String?
    /// The name of the system item, such as `done`; nil if the control is none.
    package let systemItem: String?

    /// The events of a tap. A text field, for example, has other events.
    private static let taps: Set<String?> = [
        nil, "touchUpInside", "touchDown", "primaryActionTriggered",
    ]

    /// Returns the buttons and bar items below an element that perform no segue. A button in a bar
    /// item counts as this bar item.
    static func controls(below node: XMLNode, in item: XMLNode? = nil) -> [XcodeControl] {
        node.children.flatMap { child -> [XcodeControl] in
            let isItem = child.name == "barButtonItem" && child["key"] != "backBarButtonItem"
            let inner = controls(below: child, in: isItem ? child : item)
            guard isItem || child.name == "button", let id = (item ?? child)["id"] else {
                return inner
            }
            let connections = child.child("connections")?.children ?? []
            let selector = connections.first {
                $0.name == "action" && taps.contains($0["eventType"])
            }
            .flatMap { $0["selector"] }
            let systemItem = isItem ? child["systemItem"] : nil
            guard selector != nil || systemItem != nil,
                !connections.contains(where: { $0.name == "segue" })
            else { return inner }
            let title = ControlTitle.title(of: item ?? child) ?? selector ?? id
            return [XcodeControl(id: id, title: title, selector: selector, systemItem: systemItem)]
                + inner
        }
    }
}
