/// Reads the members of a JSON object by name, and records a defect for each member that is
/// missing, ill-typed or unexpected. If a member is missing or ill-typed, the method that reads the
/// member returns a default value. `finish` throws the recorded defects.
///
/// The number of defects is bounded, so that a small body with many defects cannot cause a large
/// response.
public struct BodyReader {
    /// The maximum number of members in an object with arbitrary member names, such as
    /// `parameters`.
    public static let maximumFreeMembers = 100
    /// The maximum number of defects that an error response lists.
    public static let maximumDefects = 20

    private let object: JSONObject
    private let pointer: String
    private var expected: [String] = []
    private var ignoresOthers = false
    private var defects: [BodyDefect] = []
    /// The first recorded refusal of a well-formed member, such as a string that does not have the
    /// form of a view controller's id (`vc1`). Nil if no such refusal is recorded.
    private var refusal: BodyError?

    public init(_ object: JSONObject, at pointer: String = "") {
        self.object = object
        self.pointer = pointer
        // For most bodies, at most 8 members are allowed, so the array rarely has to grow.
        expected.reserveCapacity(8)
    }

    /// Checks for unexpected members, and ends the reading of the object.
    /// - Throws: `.invalid` with all recorded defects. If there are none, the recorded refusal of a
    ///   well-formed member.
    public mutating func finish() throws(BodyError) {
        noteUnexpected()
        guard defects.isEmpty else { throw .invalid(defects) }
        if let refusal { throw refusal }
    }

    // MARK: Members

    public func has(_ name: String) -> Bool { object[name] != nil }

    /// Returns whether a member is present. If it is absent, so that no method will read it, marks it
    /// as allowed.
    public mutating func expectsPresent(_ name: String) -> Bool {
        if has(name) { return true }
        expect(name)
        return false
    }

    /// Marks a member as allowed, even if no method reads it.
    public mutating func expect(_ name: String) {
        expected.append(name)
    }

    /// Allows all members that no method reads. By default, each such member is a defect.
    public mutating func ignoreOthers() {
        ignoresOthers = true
    }

    public mutating func string(_ name: String) -> String {
        required(name, "a string", \.text) ?? ""
    }

    public mutating func integer(_ name: String) -> Int {
        required(name, "an integer", Self.integer) ?? 0
    }

    /// Reads an optional integer, and records a defect if it is less than `minimum`.
    /// - Returns: the integer, even if it is less than `minimum`; nil if the member is absent or
    ///   not an integer.
    public mutating func optionalInteger(_ name: String, from minimum: Int) -> Int? {
        let number = optional(name, "an integer", Self.integer)
        if let number, number < minimum {
            note("expected an integer of \(minimum) or more", member: name)
        }
        return number
    }

    public mutating func optionalString(_ name: String) -> String? {
        optional(name, "a string", \.text)
    }

    /// Reads a string that may be null.
    /// - Returns: `.some(nil)` if the member is `null`; nil if it is absent or has another type.
    public mutating func nullableString(_ name: String) -> String?? {
        optional(name, "a string or null") { value -> String?? in
            switch value {
            case .string(let text): .some(text)
            case .null: .some(nil)
            default: nil
            }
        }
    }

    public mutating func optionalBoolean(_ name: String) -> Bool? {
        optional(name, "true or false", \.flag)
    }

    public mutating func optionalStrings(_ name: String) -> [String]? {
        let elements = optional(name, "an array of strings", \.elements)
        return elements?.enumerated().compactMap { index, element in
            if element.text == nil, !hasEnoughDefects {
                note(
                    "expected a string, found \(element.kind)",
                    at: "\(pointer(to: name))/\(index)")
            }
            return element.text
        }
    }

    /// Reads an optional integer.
    public mutating func optionalInteger(_ name: String) -> Int? {
        optional(name, "an integer", Self.integer)
    }

    /// Reads a member whose value is the raw value of a case of `Choice`. Records a defect for any
    /// other value.
    /// - Returns: nil if the member is absent or has another value.
    public mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) -> Choice? {
        guard let text = optionalString(name) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        note("expected one of \(choices)", member: name)
        return nil
    }

    /// The names of the members in the object, in their order.
    public var names: [String] { object.members.map(\.name) }

    /// Records a defect unless exactly one of the members with these names is present.
    public mutating func expectExactlyOne(of names: [String]) {
        let count = names.count(where: has)
        guard count != 1 else { return }
        note("expected either \(names.joined(separator: " or "))\(count > 1 ? ", not both" : "")")
    }

    /// Reads an object with arbitrary member names and string values. Records a defect for each
    /// value that is not a string, and for an object with more than `maximumFreeMembers` members.
    /// - Returns: the members whose values are strings. The dictionary is empty if the value of
    ///   `name` is absent, is not an object or has too many members.
    public mutating func strings(_ name: String) -> [String: String] {
        freeMembers(name, "a string", \.text)
    }

    /// Reads an object with arbitrary member names and boolean values, as `strings` does.
    public mutating func booleans(_ name: String) -> [String: Bool] {
        freeMembers(name, "true or false", \.flag)
    }

    private mutating func freeMembers<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) -> [String: Value] {
        var values: [String: Value] = [:]
        nested(name) { reader in
            // The loop below checks the members, because their names are arbitrary.
            reader.ignoreOthers()
            let members = reader.object.members
            guard members.count <= Self.maximumFreeMembers else {
                reader.note(
                    "expected at most \(Self.maximumFreeMembers) members, found \(members.count)")
                return
            }
            for member in members {
                if let value = read(member.value) {
                    values[member.name] = value
                } else {
                    reader.note(
                        "expected \(expected), found \(member.value.kind)", member: member.name)
                }
            }
        }
        return values
    }

    /// Reads a member whose value is an object, with `read`. Does not call `read` if the member is
    /// absent or has another type. Another type is a defect.
    public mutating func nested(_ name: String, _ read: (inout BodyReader) -> Void) {
        let object = optional(name, "an object") { value in
            if case .object(let object) = value { object } else { nil }
        }
        guard let object else { return }
        absorb(BodyReader(object, at: self.pointer(to: name)), read)
    }

    /// Reads an array of objects.
    /// - Parameters:
    ///   - maximum: the maximum number of elements.
    ///   - read: reads one element.
    /// - Returns: the elements; an empty array if the member is missing, ill-typed or too long.
    public mutating func array<Element>(
        _ name: String, atMost maximum: Int, _ read: (inout BodyReader) -> Element
    ) -> [Element] {
        guard let elements = required(name, "an array", \.elements) else { return [] }
        guard elements.count <= maximum else {
            note(
                "expected at most \(maximum) entries, found \(elements.count)",
                member: name)
            return []
        }
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() where !hasEnoughDefects {
            let pointer = "\(self.pointer(to: name))/\(index)"
            guard case .object(let object) = element else {
                note("expected an object, found \(element.kind)", at: pointer)
                continue
            }
            absorb(BodyReader(object, at: pointer)) { result.append(read(&$0)) }
        }
        return result
    }

    // MARK: Recording defects

    /// Records a defect that concerns the whole object and not one member.
    public mutating func note(_ detail: String) {
        note(detail, at: pointer)
    }

    public mutating func note(_ detail: String, member name: String) {
        note(detail, at: pointer(to: name))
    }

    /// Records the refusal of a well-formed member. `finish` throws the refusal if the body has no
    /// defects. Only the first refusal is kept.
    /// - Parameters:
    ///   - code: the code of the problem, such as `view-controller-not-found`.
    ///   - name: the refused member; nil if the cause is outside the body, for example in the path
    ///     of the request.
    public mutating func refuse(_ code: String, _ detail: String, member name: String?) {
        let pointer = name.map { self.pointer(to: $0) }
        refusal = refusal ?? .refused(code: code, detail: detail, pointer: pointer)
    }

    private mutating func note(_ detail: String, at pointer: String) {
        defects.append(BodyDefect(pointer: pointer, detail: detail))
    }

    /// Whether more defects are recorded than a response lists. Further defects need not be
    /// recorded, because one extra defect already makes the response say that its list is
    /// incomplete.
    private var hasEnoughDefects: Bool { defects.count > Self.maximumDefects }

    private mutating func noteUnexpected() {
        guard !ignoresOthers, !object.members.isEmpty else { return }
        let unexpected = object.members.filter { !expected.contains($0.name) }
        guard !unexpected.isEmpty else { return }
        var names: [String] = []
        for name in expected where !names.contains(name) { names.append(name) }
        let list = names.isEmpty ? "none" : names.joined(separator: ", ")
        for member in unexpected where !hasEnoughDefects {
            note("unknown member; expected: \(list)", member: member.name)
        }
    }

    private mutating func absorb(_ reader: BodyReader, _ read: (inout BodyReader) -> Void) {
        var reader = reader
        read(&reader)
        reader.noteUnexpected()
        defects += reader.defects
        refusal = refusal ?? reader.refusal
    }

    // MARK: Values

    private static func integer(_ value: JSONValue) -> Int? {
        switch value {
        case .integer(let number): number.clampedToInteroperable
        // JSON has a single number type, so that 1.0 equals 1.
        case .real(let number) where number == number.rounded():
            Int(exactly: number)?.clampedToInteroperable
                ?? (number < 0 ? Int.interoperable.lowerBound : Int.interoperable.upperBound)
        default: nil
        }
    }

    private mutating func required<Value>(
        _ name: String, _ kind: String, _ convert: (JSONValue) -> Value?
    ) -> Value? {
        if object[name] == nil {
            expect(name)
            note("missing; expected \(kind)", member: name)
            return nil
        }
        return optional(name, kind, convert)
    }

    private mutating func optional<Value>(
        _ name: String, _ kind: String, _ convert: (JSONValue) -> Value?
    ) -> Value? {
        expect(name)
        guard let value = object[name] else { return nil }
        let converted = convert(value)
        if converted == nil { note("expected \(kind), found \(value.kind)", member: name) }
        return converted
    }

    private func pointer(to name: String) -> String {
        "\(pointer)/\(JSONPointer.escaped(name))"
    }
}

extension Int {
    /// The integers that every JSON implementation represents exactly (RFC 8259, section 6).
    public static let interoperable = -9_007_199_254_740_991...9_007_199_254_740_991

    /// The integer, limited to the bounds of `interoperable`.
    ///
    /// Every integer from a client passes through this property, so that later arithmetic cannot
    /// overflow. The bounds exclude no valid value, because no row, event or position lies outside
    /// them.
    public var clampedToInteroperable: Int {
        Swift.min(Swift.max(self, Self.interoperable.lowerBound), Self.interoperable.upperBound)
    }
}

/// A defect of one member of a body.
public struct BodyDefect: Sendable, Equatable {
    /// The position of the member in the body, as a JSON pointer (RFC 6901).
    public let pointer: String
    public let detail: String

    public init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}

/// The reason why a body is refused.
// Indirect, since nearly all bodies have no error, for which the reader then keeps one word.
public indirect enum BodyError: Error, Sendable, Equatable {
    case invalid([BodyDefect])
    /// A well-formed member has a value that the service refuses under a code of its own. The
    /// pointer is nil if the value is not in the body.
    case refused(code: String, detail: String, pointer: String?)
}

/// Functions for JSON pointers (RFC 6901).
public enum JSONPointer {
    public static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") })
        else { return name }
        return name.reduce(into: "") { text, character in
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.append(character)
            }
        }
    }
}
