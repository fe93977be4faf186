import Foundation
import PropertyLists

// Unbuffered, so that a line is there when it is printed, also in a pipe. Nobody may be reading: that
// must not end the service.

/// - Parameter text: one line or several.
func printOutput(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(text.printable)\n".utf8))
}

/// - Parameter text: one line or several.
func printError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(text.printable)\n".utf8))
}

/// Prints findings to standard error, each on a line of its own: the first 100, and how many more there
/// are.
/// - Parameter kind: stands before each of them: `warning: `.
func printFindings(_ findings: [Diagnostic], kind: String = "") {
    let limit = 100
    for finding in findings.prefix(limit) { printError(kind + finding.description.printableLine) }
    guard findings.count > limit else { return }
    printError("\(kind)and \(findings.count - limit) more")
}

extension String {
    /// The text with escapes such as `\u{1B}` for control characters but line feeds, and for characters
    /// that turn the direction of writing: a name in a file must not steer the terminal.
    var printable: String { escaping { $0 != "\n" && Self.steersTerminal($0) } }

    /// The text on one line of 1,000 characters at most, so that none of it passes for a line of its own.
    var printableLine: String {
        let line = String(UnicodeScalarView(unicodeScalars.prefix(1000)))
        let isWhole = line.unicodeScalars.count == unicodeScalars.count
        return line.escaping(Self.steersTerminal) + (isWhole ? "" : "…")
    }

    private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        var text = UnicodeScalarView()
        for scalar in unicodeScalars {
            if isEscaped(scalar) {
                text.append(contentsOf: scalar.escaped(asASCII: true).unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    private static func steersTerminal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }
}
