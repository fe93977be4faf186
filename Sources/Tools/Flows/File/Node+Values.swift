import JSON
import Yams

extension Node {
    /// The YAML value as JSON. Plain (unquoted) scalars have the types of YAML 1.2. For example,
    /// `Yes` and `Off` are strings, so that they can be titles.
    var json: JSONValue {
        switch self {
        case .mapping(let mapping):
            return .object(JSONObject(pairs: mapping.map { ($0.key.text ?? "", $0.value.json) }))
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
        return JSONValue(plainScalar: text)
    }
}
