import JSON

/// A value that clients write as a JSON object, with the declaration of its members.
public protocol MemberList: Sendable, Equatable {
    /// Creates a value without arguments, into which the members are read.
    init()
    /// Passes each member to a visitor, in order: its name, its type, the property that holds its
    /// value, and a description. The visitor reads, writes or describes the members.
    mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable)
    /// The names of the members of which a JSON object has exactly one; empty by default.
    static var exactlyOne: [String] { get }

    // The two methods have implementations for all types. They are requirements, so that the
    // compiler makes them for each type alone, which halves what they cost.

    /// Reads the members of a JSON object. Members that are missing, ill-typed or not allowed are
    /// recorded in `reader` as defects.
    static func read(_ reader: inout BodyReader, into value: inout Self)
    /// Writes the members into a JSON object. Absent members are left out.
    func writeMembers(to json: inout JSONWriter)
}

extension MemberList {
    public static var exactlyOne: [String] { [] }

    public static func read(_ reader: inout BodyReader, into value: inout Self) {
        value.visitMembers(&reader)
        if !exactlyOne.isEmpty { reader.expectExactlyOne(of: exactlyOne) }
    }

    public func writeMembers(to json: inout JSONWriter) {
        var value = self
        value.visitMembers(&json)
    }

    /// The members, for `openapi.yaml`.
    public static var memberDescriptions: [MemberDescription] {
        var list = MemberDescriptions()
        var value = Self()
        value.visitMembers(&list)
        return list.members
    }
}

/// Visits the members of a JSON object, which `MemberList` declares.
public protocol MemberVisitor: ~Copyable {
    /// Visits an optional member.
    /// - Parameter companion: the name of another member, without which this one is not allowed.
    mutating func member<Value>(
        _ name: String, _ type: MemberType<Value>, _ value: inout Value?,
        with companion: String?, _ text: String)

    /// Visits a required member.
    mutating func member<Value>(
        _ name: String, required type: MemberType<Value>, _ value: inout Value,
        _ text: String)

    /// Visits an optional member whose value is an object with members of its own.
    mutating func member<Value: MemberList>(
        _ name: String, group value: inout Value, _ text: String)
}

extension MemberVisitor where Self: ~Copyable {
    mutating func member<Value>(
        _ name: String, _ type: MemberType<Value>, _ value: inout Value?,
        _ text: String
    ) {
        member(name, type, &value, with: nil, text)
    }
}

extension BodyReader: MemberVisitor {
    public mutating func member<Value>(
        _ name: String, _ type: MemberType<Value>, _ value: inout Value?,
        with companion: String?, _ text: String
    ) {
        guard let read = type.read(&self, name) else { return }
        value = read
        if let companion, !has(companion) {
            note("only allowed together with \(companion)", member: name)
        }
    }

    public mutating func member<Value>(
        _ name: String, required type: MemberType<Value>, _ value: inout Value,
        _ text: String
    ) {
        if let read = type.read(&self, name) {
            value = read
        } else if !has(name) {
            note("missing; expected \(type.kind)", member: name)
        }
    }

    public mutating func member<Value: MemberList>(
        _ name: String, group value: inout Value, _ text: String
    ) {
        nested(name) { Value.read(&$0, into: &value) }
    }
}

extension JSONWriter: MemberVisitor {
    public mutating func member<Value>(
        _ name: String, _ type: MemberType<Value>, _ value: inout Value?,
        with companion: String?, _ text: String
    ) {
        guard let value else { return }
        self.name(escaping: name)
        type.write(value, &self)
    }

    public mutating func member<Value>(
        _ name: String, required type: MemberType<Value>, _ value: inout Value,
        _ text: String
    ) {
        self.name(escaping: name)
        type.write(value, &self)
    }

    public mutating func member<Value: MemberList>(
        _ name: String, group value: inout Value, _ text: String
    ) {
        guard value != Value() else { return }
        self.name(escaping: name)
        object { value.visitMembers(&$0) }
    }
}

/// A member of a JSON object, for `openapi.yaml`.
public struct MemberDescription: Sendable {
    public let name: String
    public let schema: MemberSchema
    public let isRequired: Bool
    /// The name of another member, without which a JSON object must not have this one; nil if there
    /// is none.
    public let companion: String?
    /// The meaning of the member, as one or more sentences.
    public let text: String
}

/// Collects the descriptions of members.
struct MemberDescriptions: MemberVisitor {
    var members: [MemberDescription] = []

    mutating func member<Value>(
        _ name: String, _ type: MemberType<Value>, _ value: inout Value?,
        with companion: String?, _ text: String
    ) {
        members.append(
            MemberDescription(
                name: name, schema: type.schema, isRequired: false,
                companion: companion, text: text))
    }

    mutating func member<Value>(
        _ name: String, required type: MemberType<Value>, _ value: inout Value,
        _ text: String
    ) {
        members.append(
            MemberDescription(
                name: name, schema: type.schema, isRequired: true, companion: nil,
                text: text))
    }

    mutating func member<Value: MemberList>(
        _ name: String, group value: inout Value, _ text: String
    ) {
        members.append(
            MemberDescription(
                name: name, schema: .object(Value.memberDescriptions),
                isRequired: false, companion: nil, text: text))
    }
}
