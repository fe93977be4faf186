import Foundation
import Yams

/// Reads files in YAML or JSON. The YAML parser also reads JSON, because JSON is a subset of YAML.
package enum YAMLFile {
    /// Returns the text of a file.
    /// - Throws: the defect of a file that cannot be read or is no text.
    package static func text(_ path: String) throws(FileDefect) -> String {
        let start = Place(file: path, line: 1, column: 1)
        let bytes: Data
        do throws(FileFailure) {
            bytes = try InputFile.bytes(path)
        } catch {
            throw FileDefect(start, "cannot be read: \(error.reason)")
        }
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw FileDefect(start, "is not UTF-8: save it as UTF-8")
        }
        return text
    }

    /// Returns the documents of a text, without those that have no content.
    /// - Parameter path: the path of the file, for error messages.
    /// - Throws: the first defect of the text.
    package static func documents(of text: String, path: String) throws(FileDefect) -> [Node] {
        let text = withoutSurrogates(text)
        do {
            if let anchor = try YAMLAnchor(in: text) {
                throw FileDefect(
                    Place(file: path, line: anchor.line, column: anchor.column), anchor.reason)
            }
            var documents: [Node] = []
            // Each plain key is a text, also one such as `on`.
            let parser = try Parser(yaml: text, resolver: .basic)
            while let document = try parser.nextRoot() {
                if let key = document.taggedKey {
                    throw FileDefect(
                        key.place(in: path),
                        "the key \(key.text ?? "") has the tag \(key.tag): remove the tag")
                }
                if !document.isNull { documents.append(document) }
            }
            return documents
        } catch {
            throw defect(error, text, path)
        }
    }

    /// Returns a text of JSON with the characters that it escapes as two surrogates, such as
    /// `\ud83d\ude00`. YAML has no such escapes. Blanks after each string take the place that it
    /// loses, so that all values keep their places.
    private static func withoutSurrogates(_ text: String) -> String {
        guard let first = text.first(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }),
            "{[".contains(first), text.contains("\\ud") || text.contains("\\uD")
        else { return text }
        let mark = /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\.|"/
            .ignoresCase().matchingSemantics(.unicodeScalar)
        var lost = 0
        return text.replacing(mark) { match in
            let units = [match.1, match.2].compactMap { $0.flatMap { UInt16($0, radix: 16) } }
            if units.count == 2 {
                lost += match.0.count - 1
                return String(decoding: units, as: UTF16.self)
            }
            guard match.0 == "\"" else { return String(match.0) }
            defer { lost = 0 }
            return "\"" + String(repeating: " ", count: lost)
        }
    }

    /// Returns the root of a text with one document; nil for a text without content.
    /// - Parameter path: the path of the file, for error messages.
    /// - Throws: the first defect of the text.
    package static func root(of text: String, path: String) throws(FileDefect) -> Node? {
        let documents = try documents(of: text, path: path)
        guard documents.count > 1 else { return documents.first }
        throw FileDefect(documents[1].place(in: path), "a second document: remove one of them")
    }

    private static func defect(_ error: any Error, _ text: String, _ path: String) -> FileDefect {
        switch error {
        case let defect as FileDefect: return defect
        case YamlError.scanner(_, let problem, let mark, _),
            YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            let mend =
                problem.contains("mapping values are not allowed")
                ? "a key ends with a colon if further keys follow, as in `back:`"
                : "check indentation, quotes and brackets here"
            // If the end of a list is missing, the parser reports a line after the last one.
            let last = text.split(separator: "\n", omittingEmptySubsequences: false).count
            let line = min(max(1, mark.line), last)
            return FileDefect(
                Place(file: path, line: line, column: max(1, mark.column)), "\(problem): \(mend)")
        case YamlError.duplicatedKeysInMapping(let keys, let context):
            let mark = context.mark
            return FileDefect(
                Place(file: path, line: mark.line, column: mark.column),
                "the key \(keys.map { "\($0)" }.joined(separator: ", ")) comes twice: "
                    + "remove one of them")
        default:
            return FileDefect(
                Place(file: path, line: 1, column: 1), "is neither YAML nor JSON: \(error)")
        }
    }
}

extension Node {
    /// This node and all nodes in it, in the order of the text.
    var descendants: UnfoldSequence<Node, [Node]> {
        Swift.sequence(state: [self]) { waiting in
            guard let node = waiting.popLast() else { return nil }
            switch node {
            case .mapping(let mapping):
                waiting += mapping.reversed().flatMap { [$0.value, $0.key] }
            case .sequence(let sequence): waiting += sequence.reversed()
            case .scalar, .alias: break
            }
            return node
        }
    }

    /// The first key with a tag, such as `!x key`, in a node that was read without rules for tags.
    /// It is no equal of the same key without a tag, so that a reader would not find it.
    fileprivate var taggedKey: Node? {
        descendants.lazy.flatMap { $0.mapping?.keys.map(\.self) ?? [] }
            .first { $0.scalar != nil && $0.tag != Tag(.str) }
    }

    /// Returns the place of the node.
    /// - Parameter path: the path of its file.
    package func place(in path: String) -> Place {
        Place(file: path, line: mark?.line ?? 1, column: mark?.column ?? 1)
    }
}
