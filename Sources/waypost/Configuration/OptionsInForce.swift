import ArgumentParser
import Foundation
import JSON

/// The options of `waypost serve` from the command line, the environment and the configuration
/// file, in this order of precedence.
struct OptionsInForce {
    /// The value of an option, and where it comes from.
    struct Option: Equatable {
        let name: String
        let values: [String]
        /// An environment variable, the path and line of a file, `command line` or `default`.
        let origin: String

        /// The option as a line of a configuration file, with its origin as a comment. A line with
        /// a default is commented out, so that the file does not pin the default.
        var line: String {
            let texts = values.map(Self.quoted)
            let value = texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"
            if values.isEmpty { return "# \(name):  # not set" }
            return "\(origin == "default" ? "# " : "")\(name): \(value)  # \(origin)"
        }

        /// Quotes a text that YAML would read as something else.
        private static func quoted(_ text: String) -> String {
            let isPlain =
                text.first?.isASCII == true && text.first?.isLetter == true
                || text.first?.isNumber == true || text.first == "/"
            let marks: Set<Character> = [":", ".", "/", "-", "_", "@", "=", "+"]
            let isSafe = text.allSatisfy { $0.isLetter || $0.isNumber || marks.contains($0) }
            guard !isPlain || !isSafe || text.hasSuffix(":") || text == "null" else { return text }
            return "'\(text.replacing("'", with: "''"))'"
        }
    }

    let options: [Option]

    /// Determines the value of each option and where it comes from.
    /// - Parameters:
    ///   - arguments: the user's arguments, without the program and the command.
    ///   - defaults: the values of the options that no other source sets.
    init(
        arguments: [String], environment: [String: String], file: ConfigurationFile?,
        defaults: [String: String] = Self.defaults()
    ) {
        options = EnvironmentOptions.serveOptions.filter { $0 != "config" }.map { name in
            let given = EnvironmentOptions.values(of: name, in: arguments)
            let variable = EnvironmentOptions.variable(of: name)
            let values: [String]
            let origin: String
            if !given.isEmpty {
                (values, origin) = (given, "command line")
            } else if let value = environment[variable] {
                (values, origin) = (EnvironmentOptions.values(value, of: name), variable)
            } else if let file, let entry = file.entries[name] {
                (values, origin) = (entry.values, "\(file.path):\(entry.line)")
            } else {
                (values, origin) = (defaults[name].map { [$0] } ?? [], "default")
            }
            let isRepeatable = EnvironmentOptions.repeatableOptions.contains(name)
            return Option(
                name: name, values: (isRepeatable ? values : values.suffix(1)).map(Self.redacted),
                origin: origin)
        }
    }

    /// Returns the defaults of the options that have one.
    static func defaults() -> [String: String] {
        guard
            let help = try? JSONValue(parsing: Array(Serve._dumpHelp().utf8), maximumDepth: 32),
            let arguments = help["command"]?["arguments"]?.elements
        else { return [:] }
        var defaults: [String: String] = [:]
        for argument in arguments {
            guard let name = argument["preferredName"]?["name"]?.text else { continue }
            defaults[name] = argument["defaultValue"]?.text
        }
        return defaults
    }

    /// The value without the password that the URL of a database can have.
    private static func redacted(_ value: String) -> String {
        value
            .replacing(#/^(postgres(?:ql)?://[^:@/?]*):[^@]*@/#) { "\($0.output.1):***@" }
            .replacing(#/([?&](?:ssl)?password=)[^&]*/#) { "\($0.output.1)***" }
    }
}
