extension JSONWriter {
    /// Writes a parsed value. The members of objects keep their order.
    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .real(let value): real(value)
        case .string(let value): string(value)
        case .array(let elements): array(elements) { $0.write($1) }
        case .object(let object):
            self.object { json in
                for member in object.members {
                    json.name(escaping: member.name)
                    json.write(member.value)
                }
            }
        }
    }
}
