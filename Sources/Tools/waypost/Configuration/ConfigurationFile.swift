import Flows
import Yams

/// A configuration file of `waypost serve`: a YAML mapping from the names of options to their
/// values.
///
///     port: 9000
///     cors-origin: [https://app.example, https://www.example]
struct ConfigurationFile {
    /// The values of one option, and the number of its line in the file.
    struct Entry: Equatable {
        /// One value, or several if the option can be repeated.
        let values: [String]
        let line: Int
    }

    let path: String
    private(set) var entries: [String: Entry] = [:]

    /// Reads the file at `path` and checks each of its options.
    /// - Throws: the first defect of the file.
    init(path: String) throws(FileDefect) {
        try self.init(try YAMLFile.text(path), path: path)
    }

    /// Reads and checks the options in a text.
    /// - Parameter path: the path of the file, for error messages.
    /// - Throws: the first defect of the text.
    init(_ text: String, path: String) throws(FileDefect) {
        self.path = path
        guard let root = try YAMLFile.root(of: text, path: path) else { return }
        guard let mapping = root.mapping else {
            throw defect(root, "expected options such as port: 9000")
        }
        for (key, value) in mapping {
            let name = key.string ?? ""
            if let present = RenamedOptions.ofServe[name] {
                throw defect(key, "\(name) is now \(present)")
            }
            guard name != "config" else {
                throw defect(key, "a configuration file cannot name another: remove the line")
            }
            guard EnvironmentOptions.serveOptions.contains(name) else {
                throw defect(
                    key, "unknown option \(name); `waypost serve --help-hidden` lists them")
            }
            entries[name] = Entry(
                values: try values(value, of: name), line: key.mark?.line ?? 1)
            try check(name, at: key)
        }
    }

    private func values(_ node: Node, of name: String) throws(FileDefect) -> [String] {
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

    private func value(_ node: Node, of name: String) throws(FileDefect) -> String {
        guard let scalar = node.scalar else {
            throw defect(node, "\(name): expected a value, found a mapping or a list")
        }
        guard node.null == nil else {
            throw defect(
                node, "\(name): the value is missing; remove the line to use the default")
        }
        return scalar.string
    }

    /// Checks the values of one option with the parser for the command line. A separate check of
    /// each option lets an error name the option's line.
    private func check(_ name: String, at key: Node) throws(FileDefect) {
        if EnvironmentOptions.flags.contains(name),
            !["true", "false"].contains(entries[name]?.values.first)
        {
            throw defect(key, "\(name) must be true or false")
        }
        do {
            _ = try Serve.parse(arguments(of: name))
        } catch {
            throw defect(key, Serve.message(for: error))
        }
    }

    /// Returns an option as arguments for the command line, such as `--port=9000`. Returns an empty
    /// array if the file does not have the option.
    func arguments(of name: String) -> [String] {
        entries[name]?.values.map { EnvironmentOptions.argument(for: name, $0) } ?? []
    }

    private func defect(_ node: Node, _ reason: String) -> FileDefect {
        FileDefect(node.place(in: path), reason)
    }
}
