import Foundation
import JSON

/// Replaces the expected values in flow files (scripted tests in YAML) by the values that a run
/// found. All other text in the files is unchanged.
package enum FlowUpdate {
    /// Replaces the expected values that were not met, in all files that contain such a value.
    /// - Returns: the number of replaced values.
    /// - Throws: an error if a file cannot be read or written.
    package static func apply(_ mismatches: [Mismatch]) throws -> Int {
        var count = 0
        let files = Dictionary(grouping: mismatches, by: \.expectation.place.file)
        for (file, mismatches) in files.sorted(by: { $0.key < $1.key }) {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let updated = apply(mismatches, to: text)
            try updated.write(toFile: file, atomically: true, encoding: .utf8)
            count += Set(mismatches.map(\.expectation.place)).count
        }
        return count
    }

    /// Returns the text of a flow file with the found values in place of the expected values.
    /// Several flows can include the same file. If they find different values for one expectation,
    /// the first found value is used.
    static func apply(_ mismatches: [Mismatch], to text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        var seen: Set<Place> = []
        let unique = mismatches.filter { seen.insert($0.expectation.place).inserted }
        // The last expectation is replaced first, so that the places of the others stay right.
        let ordered = unique.sorted {
            let (one, other) = ($0.expectation.place, $1.expectation.place)
            return (one.line, one.column) > (other.line, other.column)
        }
        for mismatch in ordered {
            let place = mismatch.expectation.place
            guard let start = ValueExtent.offset(of: place, in: scalars) else { continue }
            let isJSON = place.file.hasSuffix(".json")
            var found = isJSON ? mismatch.found.json : mismatch.found.flowStyle
            if scalars[start...].starts(with: "- ".unicodeScalars),
                let elements = mismatch.found.elements, !elements.isEmpty
            {
                // A list that had one element on each line keeps this form.
                let separator = "\n" + String(repeating: " ", count: place.column - 1)
                found = elements.map { "- \($0.flowStyle)" }.joined(separator: separator)
            }
            let isNull = mismatch.expectation.value == .null
            let extent = ValueExtent(scalars, start: start, isNull: isNull)
            let space = extent.needsSpace ? " " : ""
            scalars.replaceSubrange(start..<extent.end, with: Array((space + found).unicodeScalars))
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        return String(result)
    }
}

/// The extent of one value in a YAML text, that is, the characters that a new value replaces.
struct ValueExtent {
    private let text: [Unicode.Scalar]
    /// The offset in the text at which the value ends, in Unicode scalars.
    private(set) var end: Int
    /// Whether a space is necessary between the preceding text and the new value.
    private(set) var needsSpace = false

    static func offset(of place: Place, in text: [Unicode.Scalar]) -> Int? {
        var line = 1
        var start = 0
        while line < place.line {
            guard let next = text[start...].firstIndex(of: "\n") else { return nil }
            start = next + 1
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
        switch text[start] {
        case "[", "{": end = flowEnd(start)
        case "\"", "'": end = quotedEnd(start)
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
        var isOpen = false
        while index < offset {
            if text[index] == "[" || text[index] == "{" {
                let begins =
                    index == 0 || " \n".unicodeScalars.contains(text[index - 1])
                    || text[index - 1] == "["
                if begins {
                    let end = flowEnd(index)
                    if end > offset { isOpen = true }
                    index = max(end, index + 1)
                    if isOpen { return true }
                    continue
                }
            }
            if text[index] == "#", index == 0 || " \n".unicodeScalars.contains(text[index - 1]) {
                index = text[index...].firstIndex(of: "\n") ?? text.count
                continue
            }
            index += 1
        }
        return false
    }

    private func isBlockMapping(_ line: [Unicode.Scalar]) -> Bool {
        for index in line.indices where line[index] == ":" {
            if index + 1 == line.count || line[index + 1] == " " { return true }
        }
        return false
    }

    /// Returns the offset at which a plain (unquoted) scalar ends, without trailing spaces and
    /// comments.
    private func plainEnd(_ start: Int) -> Int {
        let isInFlow = isInFlow(start)
        var index = start
        while index < text.count, text[index] != "\n" {
            let scalar = text[index]
            if scalar == "#", index > start, text[index - 1] == " " { break }
            if isInFlow, [",", "]", "}"].contains(scalar) { break }
            index += 1
        }
        while index > start, [" ", "\r"].contains(text[index - 1]) { index -= 1 }
        return index
    }

    /// Returns the offset at which a list or mapping in block style ends. The block consists of the
    /// lines that are indented at least as far as its first line. Empty lines and comments after
    /// the last value are not part of the block.
    private func blockEnd(_ start: Int) -> Int {
        let lineStart = (text[..<start].lastIndex(of: "\n") ?? -1) + 1
        let indent = start - lineStart
        var end = text[start...].firstIndex(of: "\n") ?? text.count
        var next = end
        while next < text.count {
            let line = text[(next + 1)...].prefix { $0 != "\n" }
            let blanks = line.prefix { $0 == " " }.count
            let content = line.dropFirst(blanks)
            if content.isEmpty {
                next += line.count + 1
                continue
            }
            guard blanks >= indent else { break }
            next += line.count + 1
            if content.first != "#" { end = next }
        }
        return end
    }
}
