/// A parsed JSON document.
public enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// What this is, for a message: `a string`.
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

/// The members of a JSON object, in the order of the document; no name is there twice.
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
}
