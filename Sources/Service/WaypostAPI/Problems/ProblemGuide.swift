import HTTPCore

/// The text of `docs/problems.md`, which explains each problem and how to correct it.
enum ProblemGuide {
    /// The title, the status and the explanation of each problem in Markdown, by its code.
    /// The route `/problems/{code}` responds with one of them.
    static let sections: [String: String] = {
        let document = problemsDocument.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
        // The row of a problem: | `code` | status | explanation |
        let rows = document.split(separator: "\n| `").dropFirst().map {
            $0.prefix { $0 != "\n" }.split(separator: " | ", maxSplits: 2)
        }
        let sections = rows.compactMap { row -> (String, String)? in
            guard row.count == 3 else { return nil }
            let code = String(row[0].dropLast())
            let title = "\(Problem.title(of: code)) (\(row[1]))"
            return (code, "## \(code)\n\n\(title). \(row[2].dropLast(2))\n")
        }
        return Dictionary(sections, uniquingKeysWith: { first, _ in first })
    }()
}
