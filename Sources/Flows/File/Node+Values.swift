import JSON
import Yams

extension Node {
    /// The YAML value as JSON. Plain (unquoted) scalars have the types of YAML 1.2. For example,
    /// `Yes` and `Off` are strings, so that they can be titles.
    var json: JSONValue {
        switch self {
        case .mapping(let mapping):
            return .object(
                JSONObject(
                    members: mapping.map {
                        JSONObject.Member(name: $0.key.text ?? "", value: $0.value.json)
                    }))
        case .sequence(let sequence): return .array(sequence.map(\.json))
        case .scalar(let scalar): return Self.value(of: scalar)
        case .alias: return .null
        }
    }

    /// The text of a scalar, even of a number or a boolean, because `1984` can be a title. Nil for
    /// a list or a mapping.
    var text: String? { scalar?.string }

    var isNull: Bool { json == .null }

    /// The value as JSON for titles and names: numbers and booleans become strings, also in a list.
    /// Null remains null.
    var texts: JSONValue {
        switch self {
        case .sequence(let sequence): .array(sequence.map(\.texts))
        case .scalar(let scalar): isNull ? .null : .string(scalar.string)
        default: json
        }
    }

    /// The name of the value's type with its article, for error messages, such as "a mapping".
    var kind: String {
        switch self {
        case .mapping: "a mapping"
        case .sequence: "a list"
        default: json.kind
        }
    }

    /// The value on one line, in YAML's flow style, such as `{ row: 3 }`. Reports show steps in
    /// this form.
    var line: String { json.flowStyle }

    private static func value(of scalar: Scalar) -> JSONValue {
        let text = scalar.string
        guard scalar.style == .plain || scalar.style == .any else { return .string(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        default: break
        }
        if let number = Int(text) { return .integer(number) }
        let isNumber =
            text.utf8.contains { (48...57).contains($0) }
            && text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        if isNumber, let number = Double(text) { return .real(number) }
        return .string(text)
    }
}

extension JSONValue {
    /// The value on one line, in YAML's flow style, such as `{ row: 3 }`. Strings are in quotes
    /// only where YAML requires them.
    var flowStyle: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .string(let text): text.asPlainScalar
        case .array(let elements): "[\(elements.map(\.flowStyle).joined(separator: ", "))]"
        case .object(let object):
            object.members.isEmpty
                ? "{}"
                : "{ "
                    + object.members.map { "\($0.name.asPlainScalar): \($0.value.flowStyle)" }
                    .joined(separator: ", ") + " }"
        }
    }
}

extension String {
    /// The text as a YAML scalar. The scalar is in double quotes if YAML would read it differently
    /// without quotes.
    var asPlainScalar: String {
        let node = Node(self, .implicit, .plain)
        let isPlain =
            node.json == .string(self) && !contains { "[]{},".contains($0) }
            && !(first.map { "#&*!|>'\"%@`".contains($0) } ?? true) && !contains(" #")
            && !contains { $0.isNewline || $0 == "\t" } && !contains(": ") && !hasSuffix(":")
            && !hasPrefix("- ") && !hasPrefix("? ") && !hasPrefix(":") && self != "-"
            && !hasPrefix(" ") && !hasSuffix(" ")
            && !unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !isPlain else { return self }
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            default:
                if scalar.properties.generalCategory == .control {
                    quoted += "\\x" + (scalar.value < 16 ? "0" : "")
                    quoted += String(scalar.value, radix: 16)
                } else {
                    quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + "\""
    }
}
