import HTTPCore

/// The text of `docs/problems.md`, which explains each kind of problem and how to correct it.
enum ProblemGuide {
    /// The sections of the text by code. `/problems/{code}` serves the section whose heading is the
    /// code.
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
