import Foundation
import JSON

/// Replaces the expected values in flow files (scripted tests in YAML) by the values that a run
/// found. All other text in the files is unchanged.
package enum FlowUpdate {
    /// Replaces the expected values that were not met, in all files that contain such a value.
    /// - Returns: the number of replaced values, and the paths of the files without links, sorted.
    /// - Throws: an error if a file cannot be read or written.
    package static func apply(
        _ mismatches: [Mismatch]
    ) throws -> (count: Int, files: [String]) {
        var count = 0
        // Flows can spell the path of a file that they share differently.
        let files = Dictionary(grouping: mismatches.filter { $0.replacement != nil }) {
            URL(filePath: $0.expectation.place.file).resolvingSymlinksInPath().path
        }
        for (file, mismatches) in files {
            let bytes = try InputFile.bytes(file)
            let updated = apply(mismatches, to: String(decoding: bytes, as: UTF8.self))
            try OutputFile.write(updated, to: file)
            let places = mismatches.map(\.expectation.place)
            count += Set(places.map { [$0.line, $0.column] }).count
        }
        return (count, files.keys.sorted())
    }

    /// Returns the text of a flow file with the found values in place of the expected values.
    /// Several flows can include the same file. If they find different values for one expectation,
    /// the first found value is used.
    static func apply(_ mismatches: [Mismatch], to text: String) -> String {
        // The places do not count a byte order mark.
        let mark: [Unicode.Scalar] = text.unicodeScalars.first == "\u{FEFF}" ? ["\u{FEFF}"] : []
        let scalars = Array(text.unicodeScalars.dropFirst(mark.count))
        let ranges = ValueRanges(scalars)
        var seen: Set<Range<Int>> = []
        let found = mismatches.compactMap { mismatch -> (range: Range<Int>, text: String)? in
            guard let value = mismatch.replacement,
                let range = ranges.range(at: mismatch.expectation.place),
                seen.insert(range).inserted
            else { return nil }
            return (range, Self.text(of: value, replacing: mismatch.expectation, scalars, range))
        }
        var result = String.UnicodeScalarView(mark)
        var end = 0
        // In a file that has changed since it was read, a value can be inside another one.
        for (range, text) in found.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where range.lowerBound >= end {
            result.append(contentsOf: scalars[end..<range.lowerBound])
            result.append(contentsOf: text.unicodeScalars)
            end = range.upperBound
        }
        result.append(contentsOf: scalars[end...])
        return String(result)
    }

    /// Returns the text that a found value has in place of the expected value.
    private static func text(
        of value: JSONValue, replacing expectation: Expectation, _ scalars: [Unicode.Scalar],
        _ range: Range<Int>
    ) -> String {
        let place = expectation.place
        let text = place.file.hasSuffix(".json") ? value.json : value.flowStyle
        let before = scalars[range]
        if range.isEmpty, range.lowerBound > 0, scalars[range.lowerBound - 1] == ":" {
            return " " + text
        }
        // A hyphen with a blank, or alone, is the beginning of a list.
        guard before.first == "-", [nil, " ", "\t", "\r", "\n"].contains(before.dropFirst().first)
        else { return text }
        guard let elements = value.elements, !elements.isEmpty else {
            // The list can be in the column of its key, where no other value may be.
            return "  " + text
        }
        // A list that had one element on each line keeps this form.
        return BlockList(before, indent: place.column - 1)
            .replacing(expectation.value.elements ?? [], by: elements)
    }
}

extension Mismatch {
    /// The value that takes the place of the expected value in the flow file; nil if no value that
    /// the reader accepts can do so.
    package var replacement: JSONValue? {
        switch expectation.key {
        case "flags":
            // A flag that the storyboard does not have any more has no value.
            let flags = found.object?.members.filter { $0.value.flag != nil } ?? []
            return flags.isEmpty ? nil : .object(JSONObject(members: flags))
        case "changed":
            // Nothing was changed or kept by an action that was refused.
            return found.flag == nil ? nil : found
        case "rows":
            // A screen without a table has no number of rows.
            return found.object == nil || found["count"]?.number != nil ? found : .null
        default:
            // The session has nothing at the path, or a view controller has no such member.
            let isAbsent = expectation.key.contains(".") && found == Findings.absent
            let lacksMember = (found.elements ?? []).contains { entry in
                entry.object?.members.contains { $0.value == Findings.absent } ?? false
            }
            return isAbsent || lacksMember ? nil : found
        }
    }
}
