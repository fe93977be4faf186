// Values as YAML text.

extension JSONValue {
    /// The value of a plain (unquoted) YAML 1.2 scalar. For example, `Yes` and `Off` are strings, so
    /// that they can be titles.
    package init(plainScalar text: String) {
        let isNumber =
            text.utf8.contains { (48...57).contains($0) }
            && text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        switch text {
        case "", "~", "null", "Null", "NULL": self = .null
        case "true", "True", "TRUE": self = .boolean(true)
        case "false", "False", "FALSE": self = .boolean(false)
        default:
            if let number = Int(text) {
                self = .integer(number)
            } else if isNumber, let number = Double(text), number.isFinite {
                self = .real(number)
            } else {
                self = .string(text)
            }
        }
    }

    /// The value as YAML text in flow style, on one line. All strings are in double quotes, so that
    /// a title such as `true` or `1` is not read as a value of another type.
    package var yaml: String {
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

    /// The value on one line, in YAML's flow style, such as `{ row: 3 }`. Strings are in quotes
    /// only where YAML requires them.
    package var flowStyle: String { line(\.asPlainScalar) }

    /// Returns the value on one line, with spaces inside the braces of objects.
    /// - Parameter text: returns a string or the name of a member as it stands in the line.
    package func line(_ text: (String) -> String) -> String {
        switch self {
        case .null: "null"
        case .boolean(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .string(let string): text(string)
        case .array(let elements): "[\(elements.map { $0.line(text) }.joined(separator: ", "))]"
        case .object(let object):
            object.members.isEmpty
                ? "{}"
                : "{ "
                    + object.members.map { "\(text($0.name)): \($0.value.line(text))" }
                    .joined(separator: ", ") + " }"
        }
    }

    /// The members of an object as YAML text in flow style, without braces.
    package var yamlMembers: String? {
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
    package var yamlText: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case _ where scalar.needsEscape || scalar == "\u{A0}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// The text as a YAML scalar. The scalar is in double quotes if YAML would read it differently
    /// without quotes.
    package var asPlainScalar: String {
        let isPlain =
            JSONValue(plainScalar: self) == .string(self) && !unicodeScalars.haveYAMLMark
            && !unicodeScalars.contains { $0.needsEscape }
        return isPlain ? self : yamlText
    }

    /// The text on one line, as in a YAML comment: a space replaces each character that YAML text
    /// must escape.
    package var onOneLine: String {
        String(UnicodeScalarView(unicodeScalars.map { $0.needsEscape ? " " : $0 }))
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

// The functions compare Unicode scalars, as YAML does: a mark with a combining accent is a mark.

extension String.UnicodeScalarView {
    /// Whether YAML would read a mark in the plain text, such as a comment or the end of a list.
    fileprivate var haveYAMLMark: Bool {
        guard let first, let last else { return true }
        let pairs = zip(self, dropFirst())
        return "#&*!|>'\"%@`?: ".unicodeScalars.contains(first) || last == ":" || last == " "
            || first == "-" && [nil, " "].contains(dropFirst().first)
            || contains { "[]{},".unicodeScalars.contains($0) }
            || pairs.contains { $0 == (" ", "#") || $0 == (":", " ") }
    }
}

extension Unicode.Scalar {
    /// Whether YAML text must have an escape for the character: control characters, line separators,
    /// the byte order mark and noncharacters. Characters that change the direction of text have one,
    /// too, so that a terminal or an editor shows the text as it is.
    fileprivate var needsEscape: Bool {
        switch self {
        case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{2029}", "\u{FEFF}",
            "\u{FFFE}"..."\u{FFFF}":
            true
        default: properties.isBidiControl
        }
    }
}
