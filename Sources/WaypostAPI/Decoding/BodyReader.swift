import HTTPCore
import JSON

/// Reads the members of a JSON object by name and notes each that is missing, ill-typed or not
/// expected. Reading goes on with a stand-in; `finish` then throws what was noted.
///
/// The number of notes is bounded, so that a small body of many defects can't cause a large response.
struct BodyReader {
    /// Objects with free names, such as `parameters`, hold this many members at most.
    static let maximumFreeMembers = 100

    private let object: JSONObject
    private let pointer: String
    private var expected: [String] = []
    private var ignoresOthers = false
    private var defects: [Problem.Member] = []
    /// The problem of a well-formed body that cannot be accepted.
    private var problem: Problem?

    init(_ object: JSONObject, at pointer: String = "") {
        self.object = object
        self.pointer = pointer
    }

    /// - Throws: `.invalidBody`, or the problem that was noted.
    mutating func finish() throws(Problem) {
        noteUnexpected()
        guard defects.isEmpty else { throw Problem(.invalidBody, defects) }
        if let problem { throw problem }
    }

    // MARK: Members

    func has(_ name: String) -> Bool { object[name] != nil }

    /// A member that may be there, read or not.
    mutating func expect(_ name: String) {
        expected.append(name)
    }

    /// Leaves members that nobody asks for in peace.
    mutating func ignoreOthers() {
        ignoresOthers = true
    }

    mutating func string(_ name: String) -> String {
        required(name, "a string") { if case .string(let text) = $0 { text } else { nil } } ?? ""
    }

    mutating func integer(_ name: String) -> Int {
        required(name, "an integer", Self.integer) ?? 0
    }

    mutating func optionalString(_ name: String) -> String? {
        optional(name, "a string") { if case .string(let text) = $0 { text } else { nil } }
    }

    /// Nil if it is absent, `.some(nil)` if it is `null`.
    mutating func nullableString(_ name: String) -> String?? {
        optional(name, "a string or null") { value -> String?? in
            switch value {
            case .string(let text): .some(text)
            case .null: .some(nil)
            default: nil
            }
        }
    }

    mutating func optionalBoolean(_ name: String) -> Bool? {
        optional(name, "true or false") { if case .boolean(let flag) = $0 { flag } else { nil } }
    }

    mutating func optionalStrings(_ name: String) -> [String]? {
        optional(name, "an array of strings") { value in
            guard case .array(let elements) = value else { return nil }
            let strings = elements.compactMap { element in
                if case .string(let text) = element { text } else { nil }
            }
            return strings.count == elements.count ? strings : nil
        }
    }

    /// An object whose members are strings; empty if it is absent.
    mutating func strings(_ name: String) -> [String: String] {
        var strings: [String: String] = [:]
        nested(name) { reader in
            // One by one, as their names are free.
            reader.ignoreOthers()
            let members = reader.object.members
            guard members.count <= Self.maximumFreeMembers else {
                reader.note(
                    "expected at most \(Self.maximumFreeMembers) members, found \(members.count)")
                return
            }
            for member in members {
                if case .string(let text) = member.value {
                    strings[member.name] = text
                } else {
                    reader.note(
                        "expected a string, found \(member.value.kind)", member: member.name)
                }
            }
        }
        return strings
    }

    /// Reads a nested object, if it is there.
    mutating func nested(_ name: String, _ read: (inout BodyReader) -> Void) {
        let object = optional(name, "an object") { value in
            if case .object(let object) = value { object } else { nil }
        }
        guard let object else { return }
        absorb(BodyReader(object, at: self.pointer(to: name)), read)
    }

    /// Reads an array of objects.
    /// - Parameter maximum: how many entries there may be.
    mutating func array<Element>(
        _ name: String, atMost maximum: Int, _ read: (inout BodyReader) -> Element
    ) -> [Element] {
        let elements = required(name, "an array") { value in
            if case .array(let elements) = value { elements } else { nil }
        }
        guard let elements else { return [] }
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

    // MARK: Notes

    /// Notes a defect of the whole object.
    mutating func note(_ detail: String) {
        note(detail, at: pointer)
    }

    mutating func note(_ detail: String, member name: String) {
        note(detail, at: pointer(to: name))
    }

    /// Notes a problem that is thrown if the body has no defects; the first counts.
    /// - Parameter name: the member that is at fault; nil where it is not in the body.
    mutating func note(_ kind: Problem.Kind, _ detail: String, member name: String?) {
        let members = name.map { [Problem.Member(pointer: pointer(to: $0), detail: detail)] }
        problem = problem ?? Problem(kind, detail, members: members ?? [])
    }

    private mutating func note(_ detail: String, at pointer: String) {
        defects.append(Problem.Member(pointer: pointer, detail: detail))
    }

    /// Whether the response has no room for more: one more than it lists, so that it says that there
    /// are others.
    private var hasEnoughDefects: Bool { defects.count > Problem.maximumMembers }

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
        problem = problem ?? reader.problem
    }

    // MARK: Values

    private static func integer(_ value: JSONValue) -> Int? {
        switch value {
        case .integer(let number): number.clampedToInteroperable
        // JSON has one kind of number: 1.0 is 1.
        case .real(let number): Int(exactly: number)?.clampedToInteroperable
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
    /// The integers that every implementation of JSON keeps exactly (RFC 8259, section 6).
    static let interoperable = -9_007_199_254_740_991...9_007_199_254_740_991

    /// Returns the integer, or the bound of `interoperable` that it lies beyond.
    ///
    /// Every integer from a client passes through here, so that no later arithmetic on it can
    /// overflow. No row, event or position lies beyond the bounds.
    var clampedToInteroperable: Int {
        Swift.min(Swift.max(self, Self.interoperable.lowerBound), Self.interoperable.upperBound)
    }
}

/// Pieces of a JSON pointer (RFC 6901).
enum JSONPointer {
    static func escaped(_ name: String) -> String {
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
