import JSON

/// A YAML list with one entry on each line, as its text: each entry with the comments above it.
struct BlockList {
    private let indent: String
    /// The texts of the entries. All but the first one begin with the indentation.
    private var entries: [String] = []

    /// - Parameters:
    ///   - text: the text of the list, from its first hyphen.
    ///   - indent: the number of blanks before each hyphen.
    init(_ text: ArraySlice<Unicode.Scalar>, indent: Int) {
        self.indent = String(repeating: " ", count: indent)
        /// The comments and the empty lines since the last entry.
        var above: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let blanks = line.prefix { $0 == " " }.count
            let content = line.dropFirst(blanks)
            let isEmpty = content.allSatisfy { $0 == "\r" || $0 == "\t" }
            if index == 0 || blanks == indent && content.first == "-" {
                entries.append((above + [Self.string(line)]).joined(separator: "\n"))
                above = []
            } else if isEmpty || content.first == "#" && blanks <= indent {
                above.append(Self.string(line))
            } else {
                let lines = [entries.removeLast()] + above + [Self.string(line)]
                entries.append(lines.joined(separator: "\n"))
                above = []
            }
        }
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// Returns the text of the list with other values. An entry whose value stays keeps its text and
    /// its comments.
    /// - Parameters:
    ///   - old: the values of the entries.
    ///   - new: the new values; not empty.
    func replacing(_ old: [JSONValue], by new: [JSONValue]) -> String {
        var kept: [Int: String] = [:]
        if old.count == entries.count {
            let difference = new.difference(from: old) { $0.equals($1) }
            let removed = Set(difference.removals.map(\.offset))
            let inserted = Set(difference.insertions.map(\.offset))
            let staying = old.indices.filter { !removed.contains($0) }
            let places = new.indices.filter { !inserted.contains($0) }
            for (place, index) in zip(places, staying) {
                kept[place] = index == 0 ? indent + entries[0] : entries[index]
            }
        }
        let lines = new.enumerated().map { kept[$0] ?? "\(indent)- \($1.flowStyle)" }
        let text = lines.joined(separator: "\n")
        // The text of the file before the list has the first indentation.
        return String(text.dropFirst(text.prefix(indent.count).prefix { $0 == " " }.count))
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
