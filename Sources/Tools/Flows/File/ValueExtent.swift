/// The extent of one value in a YAML text, that is, the characters that a new value replaces.
struct ValueExtent {
    private let text: [Unicode.Scalar]
    /// The offset in the text at which the value ends, in Unicode scalars.
    private(set) var end: Int
    /// Whether a space is necessary between the preceding text and the new value.
    private(set) var needsSpace = false

    /// The line breaks of YAML 1.1, which the parser counts.
    private static let breaks: Set<Unicode.Scalar> = [
        "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}",
    ]

    static func offset(of place: Place, in text: [Unicode.Scalar]) -> Int? {
        var line = 1
        var start = 0
        while line < place.line {
            guard let next = text[start...].firstIndex(where: breaks.contains) else { return nil }
            let isPair = text[next] == "\r" && next + 1 < text.count && text[next + 1] == "\n"
            start = next + (isPair ? 2 : 1)
            line += 1
        }
        let offset = start + place.column - 1
        return offset <= text.count ? offset : nil
    }

    /// Finds the end of the value that starts at the offset `start`.
    /// - Parameter isNull: whether the value is null, for which YAML may have no text at all.
    init(_ text: [Unicode.Scalar], start: Int, isNull: Bool) {
        self.text = text
        end = start
        guard start < text.count else {
            needsSpace = isNull
            return
        }
        if text[start] == "!" {
            // The value follows its tag.
            let tag = text[start...].prefix { !$0.isBlank && $0 != "\n" }
            let value = tag.endIndex + text[tag.endIndex...].prefix(while: \.isBlank).count
            end = ValueExtent(text, start: value, isNull: isNull).end
            return
        }
        switch text[start] {
        case "[", "{": end = flowEnd(start)
        case "\"", "'":
            end = quotedEnd(start)
            let next = text[end...].first { !$0.isBlank }
            if next == ":", !isInFlow(start) { end = blockEnd(start) }
        case "|", ">": end = blockScalarEnd(start)
        case "-" where start + 1 < text.count && [" ", "\n"].contains(text[start + 1]):
            end = blockEnd(start)
        case "\n", "\r", "#", ",", "}", "]": needsSpace = start > 0 && text[start - 1] == ":"
        default:
            let rest = text[start...].prefix { $0 != "\n" }
            let isMapping = isBlockMapping(Array(rest)) && !isInFlow(start)
            end = isMapping ? blockEnd(start) : plainEnd(start)
        }
    }

    private func quotedEnd(_ start: Int) -> Int {
        let quote = text[start]
        var index = start + 1
        while index < text.count {
            if text[index] == "\\", quote == "\"" {
                index += 2
            } else if text[index] == quote {
                if quote == "'", index + 1 < text.count, text[index + 1] == "'" {
                    index += 2
                } else {
                    return index + 1
                }
            } else {
                index += 1
            }
        }
        return index
    }

    private func flowEnd(_ start: Int) -> Int {
        var depth = 0
        var index = start
        while index < text.count {
            let scalar = text[index]
            let begins = index == start || " ,[{:\n".unicodeScalars.contains(text[index - 1])
            if scalar == "\"" || scalar == "'", begins {
                index = quotedEnd(index)
                continue
            }
            if scalar == "#", index > 0, " \n".unicodeScalars.contains(text[index - 1]) {
                index = text[index...].firstIndex(of: "\n") ?? text.count
                continue
            }
            if scalar == "[" || scalar == "{" { depth += 1 }
            if scalar == "]" || scalar == "}" {
                depth -= 1
                if depth == 0 { return index + 1 }
            }
            index += 1
        }
        return index
    }

    /// Returns whether an offset is inside the brackets of a YAML list or mapping. The brackets can
    /// open on an earlier line.
    private func isInFlow(_ offset: Int) -> Bool {
        var index = 0
        while index < offset {
            let scalar = text[index]
            if "[{\"'".unicodeScalars.contains(scalar), beginsValue(index) {
                let isFlow = scalar == "[" || scalar == "{"
                let end = isFlow ? flowEnd(index) : quotedEnd(index)
                if isFlow, end > offset { return true }
                index = max(end, index + 1)
                continue
            }
            if text[index] == "#", index == 0 || " \n".unicodeScalars.contains(text[index - 1]) {
                index = text[index...].firstIndex(of: "\n") ?? text.count
                continue
            }
            index += 1
        }
        return false
    }

    /// Returns whether a value or a key begins at an offset: only a mark of YAML is before it in its
    /// line. Inside a plain text, quotes and brackets are characters like others.
    private func beginsValue(_ offset: Int) -> Bool {
        let before = text[lineStart(offset)..<offset].last { !$0.isBlank }
        return before.map { ":-[{,".unicodeScalars.contains($0) } ?? true
    }

    private func isBlockMapping(_ line: [Unicode.Scalar]) -> Bool {
        for index in line.indices {
            if line[index] == "#", index > 0, line[index - 1].isBlank { return false }
            guard line[index] == ":" else { continue }
            if index + 1 == line.count || line[index + 1].isBlank { return true }
        }
        return false
    }

    // MARK: Scalars without quotes

    /// Returns the offset at which a plain (unquoted) scalar ends, without trailing spaces and
    /// comments. The scalar can have several lines.
    private func plainEnd(_ start: Int) -> Int {
        let isInFlow = isInFlow(start)
        let parent = parentIndent(start)
        var end = start
        var index = start
        while index < text.count {
            let scalar = text[index]
            if scalar == "#", index > start, text[index - 1].isBlank || text[index - 1] == "\n" {
                break
            }
            if isInFlow, [",", "]", "}"].contains(scalar) { break }
            if scalar == "\n", !isInFlow, let next = nextContent(after: index),
                indent(at: next) <= parent
            {
                break
            }
            index += 1
            if !scalar.isBlank, scalar != "\n" { end = index }
        }
        return end
    }

    /// Returns the offset at which a block scalar ends, whose text is on the lines after `|` or `>`.
    private func blockScalarEnd(_ start: Int) -> Int {
        let parent = parentIndent(start)
        var end = lineEnd(start)
        while let next = nextContent(after: end), indent(at: next) > parent { end = lineEnd(next) }
        while end > start, text[end - 1].isBlank { end -= 1 }
        return end
    }

    /// Returns the indentation of the mapping or list that contains the value at an offset: the
    /// column of the key or of the hyphen before it.
    private func parentIndent(_ start: Int) -> Int {
        var line = lineStart(start)
        var column = keyColumn(text[line..<start])
        // The key can be on an earlier line than the value.
        let own = start - line
        while column == nil, line > 0 {
            let previous = lineStart(line - 1)
            let content = text[previous..<(line - 1)]
            let blanks = content.prefix { $0 == " " }.count
            if blanks < own, content.contains(where: { !$0.isBlank }),
                content.dropFirst(blanks).first != "#"
            {
                column = keyColumn(content)
            }
            line = previous
        }
        return column ?? -1
    }

    /// Returns the column of the key in a line, or of the last hyphen if no key follows it; nil for
    /// a line of blanks.
    private func keyColumn(_ line: ArraySlice<Unicode.Scalar>) -> Int? {
        var column: Int?
        var index = line.startIndex
        while index < line.endIndex {
            if line[index].isBlank {
                index += 1
                continue
            }
            column = index - line.startIndex
            let next = index + 1
            guard line[index] == "-", next == line.endIndex || line[next].isBlank else { break }
            index = next
        }
        return column
    }

    // MARK: Lines

    private func lineStart(_ offset: Int) -> Int {
        (text[..<offset].lastIndex(of: "\n") ?? -1) + 1
    }

    private func lineEnd(_ offset: Int) -> Int {
        text[offset...].firstIndex(of: "\n") ?? text.count
    }

    private func indent(at offset: Int) -> Int { offset - lineStart(offset) }

    /// Returns the offset of the first character that is no blank on the lines after an offset; nil
    /// if there is none.
    private func nextContent(after offset: Int) -> Int? {
        text[lineEnd(offset)...].firstIndex { !$0.isBlank && $0 != "\n" }
    }

    /// Returns the offset at which a list or mapping in block style ends. The block consists of the
    /// lines that are indented at least as far as its first line; a list whose key is in the same
    /// column ends at the next key. Empty lines and comments after the last value are not part of
    /// the block.
    private func blockEnd(_ start: Int) -> Int {
        let indent = indent(at: start)
        let isList = text[start] == "-"
        var end = lineEnd(start)
        var next = end
        while let content = nextContent(after: next) {
            let column = self.indent(at: content)
            next = lineEnd(content)
            if text[content] == "#" { continue }
            let isItem =
                text[content] == "-"
                && (content + 1 == text.count || text[content + 1].isBlank
                    || text[content + 1] == "\n")
            guard column > indent || column == indent && (!isList || isItem) else { break }
            end = next
        }
        while end > start, text[end - 1].isBlank { end -= 1 }
        return end
    }
}

extension Unicode.Scalar {
    /// Whether the character is a blank within a line, or the first one of a CR LF.
    fileprivate var isBlank: Bool { self == " " || self == "\t" || self == "\r" }
}
