/// A parsed JSON document.
public enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The type of the value with an article, for error messages, such as `a string`.
    public var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The members of a JSON object, in the order of the document. No two members have the same name.
public struct JSONObject: Sendable, Equatable {
    public struct Member: Sendable, Equatable {
        public let name: String
        public let value: JSONValue

        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    public let members: [Member]

    public init(members: [Member] = []) {
        self.members = members
    }

    public subscript(name: String) -> JSONValue? {
        members.first { $0.name == name }?.value
    }

    /// Returns the object with this value for a member, in its place or as the last member.
    package func setting(_ name: String, to value: JSONValue) -> JSONObject {
        let member = Member(name: name, value: value)
        guard self[name] != nil else { return JSONObject(members: members + [member]) }
        return JSONObject(members: members.map { $0.name == name ? member : $0 })
    }

    /// Returns the object without the members with these names.
    package func without(_ names: [String]) -> JSONObject {
        JSONObject(members: members.filter { !names.contains($0.name) })
    }
}

// Typed access: each property is nil if the value has another type.
extension JSONValue {
    public subscript(name: String) -> JSONValue? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    public var text: String? { if case .string(let text) = self { text } else { nil } }
    public var number: Int? { if case .integer(let number) = self { number } else { nil } }
    public var flag: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
    public var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The strings of an array; nil if the value is not an array or an element is not a string.
    public var texts: [String]? { all(\.text) }

    /// Decodes the elements of an array.
    /// - Returns: nil if the value is not an array, or if an element cannot be decoded.
    @inlinable public func all<Element>(_ decode: (JSONValue) -> Element?) -> [Element]? {
        guard let elements else { return nil }
        let decoded = elements.compactMap(decode)
        return decoded.count == elements.count ? decoded : nil
    }
}
