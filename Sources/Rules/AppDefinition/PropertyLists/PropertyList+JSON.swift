import JSON

extension PropertyList {
    /// Decodes JSON with `parser`.
    /// - Throws: an error if the bytes are not valid JSON, or if an object has the same key twice.
    init(
        json bytes: ArraySlice<UInt8>, _ parser: JSONParser
    ) throws(UnreadablePropertyList) {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try parser.parse(bytes, PropertyListLimits.nesting)
        } catch {
            let place = error.place.map { "line \($0.line), column \($0.column): " } ?? ""
            throw .malformedJSON(place + error.reason)
        }
        try self.init(value)
    }

    private init(_ value: JSONValue) throws(UnreadablePropertyList) {
        switch value {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .string(let text): self = .string(text)
        case .array(let elements):
            var array: [PropertyList] = []
            array.reserveCapacity(elements.count)
            for element in elements { array.append(try PropertyList(element)) }
            self = .array(array)
        case .object(let object):
            var dictionary: [String: PropertyList] = [:]
            dictionary.reserveCapacity(object.members.count)
            for member in object.members {
                // Swift, unlike JSON, treats `é` in one code point and in two as equal strings.
                guard
                    dictionary.updateValue(
                        try PropertyList(member.value), forKey: member.name) == nil
                else { throw .malformedJSON("the key \(member.name) twice in one object") }
            }
            self = .dictionary(dictionary)
        }
    }
}

extension UnreadablePropertyList {
    fileprivate static func malformedJSON(_ finding: String) -> UnreadablePropertyList {
        UnreadablePropertyList(reason: "not valid JSON: \(finding)")
    }
}
