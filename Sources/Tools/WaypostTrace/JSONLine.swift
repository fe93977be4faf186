/// Writes one JSON object on a line (RFC 8259). The library WaypostTrace has its own JSON writer
/// because the library imports no module outside iOS, and thus compiles on every platform of Swift.
struct JSONLine {
    private var content = "{"
    private var needsComma = false

    /// The complete object, followed by a line feed.
    var text: String { content + "}\n" }

    mutating func member(_ name: String, _ write: (inout JSONLine) -> Void) {
        if needsComma { content += "," }
        string(name)
        content += ":"
        write(&self)
        needsComma = true
    }

    mutating func member(_ name: String, _ value: String) { member(name) { $0.string(value) } }

    mutating func member(_ name: String, _ value: Int) { member(name) { $0.content += "\(value)" } }

    mutating func member(_ name: String, _ values: [String]) {
        member(name) { $0.array(values) { $0.string($1) } }
    }

    mutating func member(_ name: String, _ values: [String: String]) {
        member(name, values) { $0.member($1, $2) }
    }

    mutating func member(_ name: String, _ values: [String: Bool]) {
        member(name, values) { line, name, value in line.member(name) { $0.content += "\(value)" } }
    }

    private mutating func member<Value>(
        _ name: String, _ values: [String: Value],
        _ write: (inout JSONLine, String, Value) -> Void
    ) {
        member(name) { line in
            line.object { line in
                for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                    write(&line, name, value)
                }
            }
        }
    }

    mutating func object(_ write: (inout JSONLine) -> Void) {
        content += "{"
        needsComma = false
        write(&self)
        content += "}"
    }

    mutating func array<Element>(
        _ elements: [Element], _ write: (inout JSONLine, Element) -> Void
    ) {
        content += "["
        for (index, element) in elements.enumerated() {
            if index > 0 { content += "," }
            write(&self, element)
        }
        content += "]"
    }

    private mutating func string(_ text: String) {
        content += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": content += "\\\""
            case "\\": content += "\\\\"
            case "\u{0}"..<"\u{20}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                content += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: content.unicodeScalars.append(scalar)
            }
        }
        content += "\""
    }
}
