import Flows
import Foundation
import Yams

/// The reason why a file that the user has named in an option is refused.
struct FileDefect: Error, CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let reason: String

    var description: String { "\(path):\(line): \(reason)" }
}

/// Reads files in YAML or JSON. The YAML parser also reads JSON, because JSON is a subset of YAML.
enum YAMLFile {
    static func text(_ path: String) throws(FileDefect) -> String {
        let bytes: Data
        do throws(InputFile.Failure) {
            bytes = try InputFile.bytes(path)
        } catch {
            throw FileDefect(
                path: path, line: 1, reason: "the file cannot be read: \(error.reason)")
        }
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw FileDefect(
                path: path, line: 1, reason: "the file is not UTF-8: save it as UTF-8")
        }
        return text
    }

    /// Parses the text of a file.
    /// - Parameter path: the path of the file, for error messages.
    /// - Returns: the root node; nil for a text without content.
    /// - Throws: the first defect of the text.
    static func root(of text: String, path: String) throws(FileDefect) -> Node? {
        do {
            if let anchor = try YAMLAnchor(in: text) {
                throw FileDefect(
                    path: path, line: anchor.line,
                    reason: "column \(anchor.column): \(anchor.reason)")
            }
            return try Yams.compose(yaml: text)
        } catch let defect as FileDefect {
            throw defect
        } catch YamlError.scanner(_, let problem, let mark, _),
            YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _)
        {
            // If the end of a list is missing, the parser reports a line after the last one.
            let last = text.split(separator: "\n", omittingEmptySubsequences: false).count
            throw FileDefect(
                path: path, line: min(max(1, mark.line), last),
                reason: "\(problem): check indentation, quotes and brackets here")
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
            throw FileDefect(
                path: path, line: context.mark.line,
                reason: "duplicate key \(keys.map { "\($0)" }.joined(separator: ", "))")
        } catch {
            throw FileDefect(path: path, line: 1, reason: "the file is not YAML: \(error)")
        }
    }
}
