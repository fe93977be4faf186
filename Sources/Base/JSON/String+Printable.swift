// Text that cannot control a terminal.

extension String {
    /// The text with escapes such as `\u{1B}` in place of two kinds of characters: control
    /// characters other than line feeds, and characters that change the writing direction.
    /// Otherwise, for example, a name in a file could send commands to the terminal.
    package var printable: String { escaping { $0 != "\n" && $0.steersTerminal } }

    /// The first 1,000 characters of the text on one line. Line feeds are escaped as well, so that
    /// a text with a line feed cannot imitate a further line of output.
    package var printableLine: String {
        let line = String(UnicodeScalarView(unicodeScalars.prefix(1000)))
        let isWhole = line.unicodeScalars.count == unicodeScalars.count
        return line.wholePrintableLine + (isWhole ? "" : "…")
    }

    /// The text on one line, for output that a program reads.
    package var wholePrintableLine: String { escaping(\.steersTerminal) }

    /// The text, which is JSON, with escape sequences in its strings for the characters that control
    /// a terminal. A line feed is no part of a string in JSON, and stays.
    package var printableJSON: String {
        func escape(_ scalar: Unicode.Scalar) -> String {
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return escaping({ $0 != "\n" && $0.steersTerminal }, as: escape)
    }

    private func escaping(
        _ isEscaped: (Unicode.Scalar) -> Bool,
        as escape: (Unicode.Scalar) -> String = { $0.escaped(asASCII: true) }
    ) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        return unicodeScalars.map { isEscaped($0) ? escape($0) : String($0) }.joined()
    }
}

extension Unicode.Scalar {
    /// Whether a character would control a terminal, or change the direction of text in an editor.
    /// Such characters are written as escape sequences. All of them have four hexadecimal digits.
    fileprivate var steersTerminal: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}
