// Literals of Swift are JSON values: `["kind": "push", "row": 3]` is an object with two members in
// this order.

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    public init(integerLiteral value: Int) { self = .integer(value) }

    public init(stringLiteral value: String) { self = .string(value) }

    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(JSONObject(pairs: members))
    }

    /// Creates a string, or null for nil.
    public init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

    /// Creates an array of strings.
    public init(_ texts: [String]) { self = .array(texts.map(JSONValue.string)) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(pairs: members)
    }

    public init(pairs members: some Sequence<(String, JSONValue)>) {
        self.init(members: members.map { Member(name: $0.0, value: $0.1) })
    }
}
