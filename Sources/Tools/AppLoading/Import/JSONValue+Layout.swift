import JSON

extension JSONObject {
    /// Adds a member, unless its value is nil.
    mutating func add(_ name: String, _ value: JSONValue?) {
        if let value { self = setting(name, to: value) }
    }
}

// JSON that people read and edit.
extension JSONValue {
    /// The value as indented JSON. An array or an object inside the value is on one line if the
    /// line has at most 98 columns.
    package var layout: String { layout(indentation: 0, column: 0) }

    private func layout(indentation: Int, column: Int) -> String {
        let line = compact
        guard column + line.utf8.count > 98 || indentation == 0 else { return line }
        let inner = String(repeating: "  ", count: indentation + 1)
        let outer = String(repeating: "  ", count: indentation)
        switch self {
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map {
                inner + $0.layout(indentation: indentation + 1, column: inner.count)
            }
            return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
        case .object(let object) where !object.members.isEmpty:
            let lines = object.members.map { member in
                let start = "\(inner)\(Self.quoted(member.name)): "
                return start
                    + member.value.layout(indentation: indentation + 1, column: start.utf8.count)
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
        default: return line
        }
    }

    /// The value as JSON in one line.
    var compact: String { line(Self.quoted) }

    private static func quoted(_ text: String) -> String {
        JSONValue.string(text).json.printableJSON
    }
}
