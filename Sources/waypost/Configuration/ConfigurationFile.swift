import Foundation
import Yams

/// The options of `waypost serve` in a file: a YAML mapping from their names to their values.
///
///     port: 9000
///     cors-origin: [https://app.example, https://www.example]
struct ConfigurationFile {
    /// The values of one option.
    struct Entry: Equatable {
        /// More than one only for an option that can be repeated.
        let values: [String]
        let line: Int
    }

    /// A reason why a file is refused.
    struct Defect: Error, CustomStringConvertible, Equatable {
        let path: String
        let line: Int
        let reason: String

        var description: String { "\(path):\(line): \(reason)" }
    }

    let path: String
    private(set) var entries: [String: Entry] = [:]

    /// Reads the file at `path` and checks each of its options.
    /// - Throws: the first `Defect` of the file.
    init(path: String) throws(Defect) {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Defect(
                path: path, line: 1, reason: "the file cannot be read: name an existing file")
        }
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw Defect(path: path, line: 1, reason: "the file is not UTF-8: save it as UTF-8")
        }
        try self.init(text, path: path)
    }

    /// Reads and checks the options in a text.
    /// - Parameter path: the name of the file for messages.
    /// - Throws: the first `Defect` of the text.
    init(_ text: String, path: String) throws(Defect) {
        self.path = path
        guard let root = try Self.root(of: text, path: path), root.null == nil else { return }
        guard let mapping = root.mapping else {
            throw defect(root, "expected options such as port: 9000")
        }
        for (key, value) in mapping {
            let name = key.string ?? ""
            guard EnvironmentOptions.serveOptions.contains(name) else {
                throw defect(key, "unknown option \(name); `waypost serve --help` lists them")
            }
            entries[name] = Entry(
                values: try values(value, of: name), line: key.mark?.line ?? 1)
            try check(name, at: key)
        }
    }

    private static func root(of text: String, path: String) throws(Defect) -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch YamlError.scanner(_, let problem, let mark, _),
            YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _)
        {
            // The reader is beyond the last line when it misses the end of a list.
            let last = text.split(separator: "\n", omittingEmptySubsequences: false).count
            throw Defect(
                path: path, line: min(max(1, mark.line), last),
                reason: "\(problem): check indentation, quotes and brackets here")
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
            throw Defect(
                path: path, line: context.mark.line,
                reason: "\(keys.map { "\($0)" }.joined(separator: ", ")) comes twice")
        } catch {
            throw Defect(path: path, line: 1, reason: "the file is not YAML: \(error)")
        }
    }

    private func values(_ node: Node, of name: String) throws(Defect) -> [String] {
        if let sequence = node.sequence {
            guard EnvironmentOptions.repeatableOptions.contains(name) else {
                throw defect(node, "\(name): expected one value, found a list")
            }
            var values: [String] = []
            for element in sequence { values.append(try self.value(element, of: name)) }
            return values
        }
        return [try value(node, of: name)]
    }

    private func value(_ node: Node, of name: String) throws(Defect) -> String {
        guard let scalar = node.scalar else {
            throw defect(node, "\(name): expected a value, found a mapping or a list")
        }
        guard node.null == nil else {
            throw defect(node, "\(name): expected a value; remove the line for the default")
        }
        return scalar.string
    }

    /// Has the parser of the command line check the values of one option, so that a defect has a
    /// line.
    private func check(_ name: String, at key: Node) throws(Defect) {
        do {
            _ = try Serve.parse(arguments(of: name))
        } catch {
            throw defect(key, Serve.message(for: error))
        }
    }

    /// Returns the values of an option as arguments of the command line.
    func arguments(of name: String) -> [String] {
        // Joined by the sign, a value may begin with a dash.
        entries[name]?.values.map { "--\(name)=\($0)" } ?? []
    }

    private func defect(_ node: Node, _ reason: String) -> Defect {
        Defect(path: path, line: node.mark?.line ?? 1, reason: reason)
    }
}
