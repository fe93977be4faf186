/// An element of an XML document.
final class XMLNode {
    let name: String
    private(set) var attributes: [String: String]
    var children: [XMLNode] = []
    /// The text of a `string` element. It is empty for all other elements, because the import does
    /// not use their texts, which can be whole images.
    var text = ""

    init(name: String, attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    /// Replaces the texts of this element and of all its descendants by translated texts.
    /// - Parameter texts: the translated texts, by object id and property, such as
    ///   `abc-de-fgh.title`.
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

    /// Returns the value of an attribute; nil if the attribute is missing or empty.
    subscript(attribute: String) -> String? {
        attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns whether an attribute has the value `YES`.
    func isSet(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

    /// Returns the first child with this element name; nil if there is none.
    func child(_ name: String) -> XMLNode? { children.first { $0.name == name } }

    /// Returns the first child whose attribute `key` has this value; nil if there is none.
    func child(key: String) -> XMLNode? { children.first { $0.attributes["key"] == key } }

    /// Returns the text of a property, such as `title`. Xcode writes the text as an attribute of
    /// this element or, if the text has several lines, as a `string` child. Returns nil if there is
    /// neither.
    func string(_ key: String) -> String? {
        if let value = self[key] { return value }
        guard let child = child(key: key), child.name == "string", !child.text.isEmpty else {
            return nil
        }
        return child.text
    }

    /// Returns the first element, among this element and its descendants in document order, that
    /// fulfils a condition; nil if there is none.
    func first(where condition: (XMLNode) -> Bool) -> XMLNode? {
        if condition(self) { return self }
        for child in children {
            if let found = child.first(where: condition) { return found }
        }
        return nil
    }
}
