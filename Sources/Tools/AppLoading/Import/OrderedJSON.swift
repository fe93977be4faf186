import JSON

/// A JSON value whose objects keep the order of their members. The same value thus always has the
/// same text, which people can read and edit.
package enum OrderedJSON: Sendable {
    case null
    case boolean(Bool)
    /// A number, as its JSON text.
    case number(String)
    case string(String)
    case array([OrderedJSON])
    case object([(String, OrderedJSON)])

    /// Returns a JSON string, or a JSON null for nil.
    static func optional(_ text: String?) -> OrderedJSON { text.map { .string($0) } ?? .null }

    /// The value as indented JSON. An array or an object inside the value is on one line if the
    /// line has at most 98 columns.
    package var text: String { text(indentation: 0, column: 0) }

    private func text(indentation: Int, column: Int) -> String {
        let line = compact
        guard column + line.utf8.count > 98 || indentation == 0 else { return line }
        let inner = String(repeating: "  ", count: indentation + 1)
        let outer = String(repeating: "  ", count: indentation)
        switch self {
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map {
                inner + $0.text(indentation: indentation + 1, column: inner.count)
            }
            return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { name, value in
                let start = "\(inner)\(Self.quoted(name)): "
                return start + value.text(indentation: indentation + 1, column: start.utf8.count)
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
        default: return line
        }
    }

    /// The value as JSON in one line.
    var compact: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .number(let text): text
        case .string(let text): Self.quoted(text)
        case .array(let elements): "[\(elements.map(\.compact).joined(separator: ", "))]"
        case .object(let members):
            members.isEmpty
                ? "{}"
                : "{ "
                    + members.map { "\(Self.quoted($0)): \($1.compact)" }.joined(separator: ", ")
                    + " }"
        }
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter(capacity: text.utf8.count + 8)
        writer.string(text)
        let quoted = String(decoding: writer.bytes, as: UTF8.self)
        return quoted.unicodeScalars.contains(where: isInvisible)
            ? quoted.unicodeScalars.map { escaped($0) }.joined() : quoted
    }

    /// Returns whether a character would control a terminal, or change the direction of text in an
    /// editor. Such characters are written as escape sequences.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        guard isInvisible(scalar) else { return String(scalar) }
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
