import HTTPCore

/// The text of `docs/problems.md`, which explains each kind of problem and how to correct it.
enum ProblemGuide {
    /// The sections of `docs/problems.md` by problem code, which is the heading of each section.
    /// The route `/problems/{code}` responds with a section.
    static let sections: [String: String] = {
        let document = problemsDocument.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
        let sections = document.split(separator: "\n## ").dropFirst().map { section in
            let code = section.prefix { $0 != "\n" }
            return (
                String(code), "## \(String(section.reversed().drop { $0.isNewline }.reversed()))\n"
            )
        }
        return Dictionary(sections, uniquingKeysWith: { first, _ in first })
    }()
}
