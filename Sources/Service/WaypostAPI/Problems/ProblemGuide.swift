import HTTPCore

/// The text of `docs/problems.md`, which explains each kind of problem and how to correct it.
enum ProblemGuide {
    /// The title, the status and the explanation of each kind of problem in Markdown, by its code.
    /// The route `/problems/{code}` responds with one of them.
    static let sections: [String: String] = {
        let document = problemsDocument.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
        // The row of a kind: | `code` | status | explanation |
        let rows = document.split(separator: "\n| `").dropFirst().map {
            $0.prefix { $0 != "\n" }.split(separator: " | ", maxSplits: 2)
        }
        let sections = rows.compactMap { row -> (String, String)? in
            guard row.count == 3, let kind = Problem.Kind(rawValue: String(row[0].dropLast()))
            else { return nil }
            let title = "\(kind.title) (\(row[1]))"
            return (kind.code, "## \(kind.code)\n\n\(title). \(row[2].dropLast(2))\n")
        }
        return Dictionary(sections, uniquingKeysWith: { first, _ in first })
    }()
}
