import JSON

extension PropertyList {
    /// Decodes JSON, strictly: of two equal keys neither is meant more than the other.
    init(json bytes: ArraySlice<UInt8>) throws(UnreadablePropertyList) {
        do throws(JSONSyntaxError) {
            self.init(
                try JSONValue(
                    parsing: Array(bytes), maximumDepth: PropertyListLimits.nesting))
        } catch {
            throw UnreadablePropertyList(
                reason:
                    "not valid JSON: line \(error.line), column \(error.column): \(error.reason)")
        }
    }

    private init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .boolean(let flag): .boolean(flag)
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .string(let text): .string(text)
            case .array(let elements): .array(elements.map(PropertyList.init))
            case .object(let object):
                .dictionary(
                    Dictionary(
                        uniqueKeysWithValues: object.members.map {
                            ($0.name, PropertyList($0.value))
                        }))
            }
    }
}
