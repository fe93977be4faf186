import HTTPCore

/// The text of `docs/problems.md`, which says what each kind of problem means and how to mend it.
enum ProblemGuide {
    /// The part of the text at `/problems/{code}`, by code: its heading is the code.
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
