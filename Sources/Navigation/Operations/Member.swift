import JSON

/// A value that clients write as a JSON object, with the declaration of its members.
public protocol MemberList: Sendable, Equatable {
    /// Creates a value without arguments, into which the members are read.
    init()
    static var members: [Member<Self>] { get }
    /// The names of the members of which a JSON object has exactly one; empty by default.
    static var exactlyOne: [String] { get }
}

extension MemberList {
    public static var exactlyOne: [String] { [] }

    /// Reads the members of a JSON object. Members that are missing, ill-typed or not allowed are
    /// recorded in `reader` as defects.
    public static func read(_ reader: inout BodyReader, into value: inout Self) {
        if !exactlyOne.isEmpty { reader.expectExactlyOne(of: exactlyOne) }
        for member in members { member.read(&reader, into: &value) }
    }

    /// Writes the members into a JSON object. Absent members are left out.
    public func writeMembers(_ references: IDReferences, to json: inout JSONWriter) {
        for member in Self.members { member.write(self, references, to: &json) }
    }

    /// The members, for `openapi.yaml`.
    public static var memberDescriptions: [MemberDescription] { members.map(\.description) }
}

/// A member of a JSON object, for `openapi.yaml`.
public struct MemberDescription: Sendable {
    public let name: String
    public let schema: MemberSchema
    public let isRequired: Bool
    /// The name of another member, without which a JSON object must not have this one; nil if there
    /// is none.
    public let companion: String?
    /// What the member means, as one or more sentences.
    public let text: String
}

/// One member of a JSON object: its name, its type, and the property of `Owner` that holds its value.
public struct Member<Owner: Sendable>: Sendable {
    public let description: MemberDescription
    private let reading: @Sendable (inout BodyReader, inout Owner) -> Void
    private let writing: @Sendable (Owner, IDReferences, inout JSONWriter) -> Void

    /// Reads the member into a property of a value, if a JSON object has it.
    public func read(_ reader: inout BodyReader, into owner: inout Owner) {
        reading(&reader, &owner)
    }

    fileprivate func write(
        _ owner: Owner, _ references: IDReferences, to json: inout JSONWriter
    ) {
        writing(owner, references, &json)
    }

    /// Declares an optional member.
    /// - Parameter companion: the name of another member, without which this one is not allowed.
    public init<Value>(
        _ name: StaticString, _ type: MemberType<Value>,
        _ property: WritableKeyPath<Owner, Value?> & Sendable, with companion: String? = nil,
        _ text: String
    ) {
        let key = "\(name)"
        description = MemberDescription(
            name: key, schema: type.schema, isRequired: false, companion: companion, text: text)
        reading = { reader, owner in
            guard let value = type.read(&reader, key) else { return }
            owner[keyPath: property] = value
            if let companion, !reader.has(companion) {
                reader.note("only allowed together with \(companion)", member: key)
            }
        }
        writing = { owner, references, json in
            guard let value = owner[keyPath: property] else { return }
            json.name(name)
            type.write(value, references, &json)
        }
    }

    /// Declares a required member.
    public init<Value>(
        _ name: StaticString, _ type: MemberType<Value>,
        _ property: WritableKeyPath<Owner, Value> & Sendable, _ text: String
    ) {
        let key = "\(name)"
        description = MemberDescription(
            name: key, schema: type.schema, isRequired: true, companion: nil, text: text)
        reading = { reader, owner in
            if let value = type.read(&reader, key) {
                owner[keyPath: property] = value
            } else if !reader.has(key) {
                reader.note("missing; expected \(type.kind)", member: key)
            }
        }
        writing = { owner, references, json in
            json.name(name)
            type.write(owner[keyPath: property], references, &json)
        }
    }

    /// Declares an optional member whose value is an object with members of its own.
    public init<Value: MemberList>(
        _ name: StaticString, group property: WritableKeyPath<Owner, Value> & Sendable,
        _ text: String
    ) {
        let key = "\(name)"
        description = MemberDescription(
            name: key, schema: .object(Value.memberDescriptions), isRequired: false,
            companion: nil, text: text)
        reading = { reader, owner in
            reader.nested(key) { Value.read(&$0, into: &owner[keyPath: property]) }
        }
        writing = { owner, references, json in
            let value = owner[keyPath: property]
            guard value != Value() else { return }
            json.name(name)
            json.object { value.writeMembers(references, to: &$0) }
        }
    }
}
