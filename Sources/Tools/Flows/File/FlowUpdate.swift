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
        let mismatches = mismatches.filter { $0.replacement != nil }
        let files = Dictionary(grouping: mismatches, by: \.expectation.place.file)
        for (file, mismatches) in files.sorted(by: { $0.key < $1.key }) {
            let bytes = try InputFile.bytes(file)
            let updated = apply(mismatches, to: String(decoding: bytes, as: UTF8.self))
            try OutputFile.write(updated, to: file)
            count += Set(mismatches.map(\.expectation.place)).count
        }
        return count
    }

    /// Returns the text of a flow file with the found values in place of the expected values.
    /// Several flows can include the same file. If they find different values for one expectation,
    /// the first found value is used.
    static func apply(_ mismatches: [Mismatch], to text: String) -> String {
        // The places do not count a byte order mark.
        let mark: [Unicode.Scalar] = text.unicodeScalars.first == "\u{FEFF}" ? ["\u{FEFF}"] : []
        var scalars = Array(text.unicodeScalars.dropFirst(mark.count))
        var seen: Set<Place> = []
        let unique = mismatches.filter { seen.insert($0.expectation.place).inserted }
        // The last expectation is replaced first, so that the places of the others stay right.
        let ordered = unique.sorted {
            let (one, other) = ($0.expectation.place, $1.expectation.place)
            return (one.line, one.column) > (other.line, other.column)
        }
        for mismatch in ordered { apply(mismatch, to: &scalars) }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: mark + scalars)
        return String(result)
    }

    private static func apply(_ mismatch: Mismatch, to scalars: inout [Unicode.Scalar]) {
        let expectation = mismatch.expectation
        guard let found = mismatch.replacement,
            let start = ValueExtent.offset(of: expectation.place, in: scalars)
        else { return }
        let extent = ValueExtent(scalars, start: start, isNull: expectation.value == .null)
        var text = expectation.place.file.hasSuffix(".json") ? found.json : found.flowStyle
        if scalars[start...].starts(with: "- ".unicodeScalars), let elements = found.elements,
            !elements.isEmpty
        {
            // A list that had one element on each line keeps this form.
            let list = BlockList(scalars[start..<extent.end], indent: expectation.place.column - 1)
            text = list.replacing(expectation.value.elements ?? [], by: elements)
        }
        let space = extent.needsSpace ? " " : ""
        scalars.replaceSubrange(start..<extent.end, with: Array((space + text).unicodeScalars))
    }
}

extension Mismatch {
    /// The value that takes the place of the expected value in the flow file; nil if no value that
    /// the reader accepts can do so.
    package var replacement: JSONValue? {
        switch expectation.key {
        // A flag that the storyboard does not have any more has no value.
        case "flags":
            found.object.map { flags in
                .object(JSONObject(members: flags.members.filter { $0.value.flag != nil }))
            }
        // Nothing was changed or kept by an action that was refused.
        case "changed": found.flag == nil ? nil : found
        // A screen without a table has no number of rows.
        case "rows": found.object == nil || found["count"]?.number != nil ? found : .null
        default: found
        }
    }
}
