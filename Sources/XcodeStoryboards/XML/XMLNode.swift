/// An element of an XML document.
final class XMLNode {
    let name: String
    private(set) var attributes: [String: String]
    fileprivate(set) var children: [XMLNode] = []
    /// The text of a `string` element; empty for all other elements, whose texts may be whole
    /// images.
    fileprivate(set) var text = ""

    init(name: String, attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    /// Replaces the texts of this element and of all below it.
    /// - Parameter texts: the new texts, by object id and property, such as `abc-de-fgh.title`.
    func translate(_ texts: [String: String]) {
        if let id = self["id"] {
            for property in ["title", "text", "placeholder", "backButtonTitle"] {
                if let text = texts["\(id).\(property)"] { attributes[property] = text }
            }
            if let text = texts["\(id).normalTitle"] {
                child(key: "normal")?.attributes["title"] = text
            }
            if let text = texts["\(id).configuration.title"] {
                child(key: "configuration")?.attributes["title"] = text
            }
        }
        for child in children { child.translate(texts) }
    }

    func append(_ child: XMLNode) { children.append(child) }
    func append(text more: String) { text += more }

    /// Returns the value of an attribute; nil if the attribute is missing or empty.
    subscript(attribute: String) -> String? {
        attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether an attribute has the value `YES`.
    func isSet(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

    /// Returns the first child with this element name.
    func child(_ name: String) -> XMLNode? { children.first { $0.name == name } }

    /// Returns the first child with this value of the attribute `key`.
    func child(key: String) -> XMLNode? { children.first { $0.attributes["key"] == key } }

    /// Returns the text of a property: the value of the attribute `key`, or the text of a `string`
    /// child, in which Xcode writes texts of several lines.
    func string(_ key: String) -> String? {
        if let value = self[key] { return value }
        guard let child = child(key: key), child.name == "string", !child.text.isEmpty else {
            return nil
        }
        return child.text
    }

    /// Returns the first element, this one included, that fulfils a condition, in document order.
    func first(where condition: (XMLNode) -> Bool) -> XMLNode? {
        if condition(self) { return self }
        for child in children {
            if let found = child.first(where: condition) { return found }
        }
        return nil
    }
}
