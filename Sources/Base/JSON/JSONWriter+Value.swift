extension JSONValue {
    /// The value as JSON, without spaces and line feeds.
    package var json: String {
        String(decoding: JSONWriter.bytes { $0.write(self) }, as: UTF8.self)
    }
}

extension JSONWriter {
    /// Returns an object as text. The closure `members` writes the members of the object.
    package static func text(
        capacity: Int = 2048, _ members: (inout JSONWriter) -> Void
    ) -> String {
        var json = JSONWriter(capacity: capacity)
        json.object(members)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Writes an object with the values in the order of their names, so that equal dictionaries are
    /// equal texts.
    public mutating func write(_ values: [String: Bool]) {
        object { json in
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                json.name(escaping: name)
                json.boolean(value)
            }
        }
    }

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
