import JSON

// Writes YAML with all string values in double quotes, so that a title such as `true` or `1` is not
// read as a value of another type.

extension JSONValue {
    /// The value as YAML text in flow style, on one line.
    var yaml: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .real(let number): "\(number)"
        case .string(let text): text.yamlText
        case .array(let elements): "[\(elements.map(\.yaml).joined(separator: ", "))]"
        case .object(let object):
            "{\(object.yamlMembers)}"
        }
    }

    /// The members of an object as YAML text in flow style, without braces.
    var yamlMembers: String? {
        if case .object(let object) = self { object.yamlMembers } else { nil }
    }
}

extension JSONObject {
    fileprivate var yamlMembers: String {
        members.map { "\($0.name.yamlName): \($0.value.yaml)" }.joined(separator: ", ")
    }
}

extension String {
    /// The text as a double-quoted YAML scalar.
    var yamlText: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            // Control characters, the no-break space, line separators, the byte order mark and
            // noncharacters.
            case "\0"..<" ", "\u{7F}"..."\u{A0}", "\u{2028}"..."\u{2029}", "\u{FEFF}",
                "\u{FFFE}"..."\u{FFFF}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// The text as a key of a YAML mapping. The key has no quotes if it consists of ASCII letters,
    /// and hyphens between them, and is not `null`, `true` or `false`.
    fileprivate var yamlName: String {
        let isWord =
            !isEmpty && first != "-" && last != "-"
            && utf8.allSatisfy { (97...122).contains($0) || (65...90).contains($0) || $0 == 45 }
        let isValue = ["null", "true", "false"].contains(lowercased())
        return isWord && !isValue ? self : yamlText
    }
}
