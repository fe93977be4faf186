import ArgumentParser
import Foundation
import JSON
import WaypostCore

/// The values of all options of `waypost serve`. The command line has precedence over the
/// environment, and the environment over the configuration file.
struct OptionsInForce {
    /// The value of an option, and where it comes from.
    struct Option: Equatable {
        let name: String
        let values: [String]
        /// The source of the value: the name of an environment variable, the path and line of a
        /// configuration file, `command line`, `profile test`, or `default`.
        let origin: String

        /// The option as a line of a configuration file, with its origin as a comment. If the value
        /// is the default, the whole line is a comment, so that a later version of the program can
        /// change the default.
        var line: String {
            let texts = values.map(Self.quoted)
            let value = texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"
            if values.isEmpty { return "# \(name):  # not set" }
            return "\(origin == "default" ? "# " : "")\(name): \(value)  # \(origin)"
        }

        /// Returns a text as a YAML value. Adds quotes if YAML could read the plain text as
        /// something other than this string.
        private static func quoted(_ text: String) -> String {
            let isPlain =
                text.first?.isASCII == true && text.first?.isLetter == true
                || text.first?.isNumber == true || text.first == "/"
            let marks: Set<Character> = [":", ".", "/", "-", "_", "@", "=", "+"]
            let isSafe = text.allSatisfy { $0.isLetter || $0.isNumber || marks.contains($0) }
            guard !isPlain || !isSafe || text.hasSuffix(":") || text.lowercased() == "null" else {
                return text
            }
            return "'\(text.replacing("'", with: "''"))'"
        }
    }

    let options: [Option]

    /// Determines the value of each option and where it comes from.
    /// - Parameters:
    ///   - arguments: the user's arguments, without the names of the program and of the command.
    ///   - environment: the environment variables.
    ///   - file: the configuration file; nil if there is none.
    ///   - defaults: the values of the options that no other source sets, by the options' names.
    init(
        arguments: [String], environment: [String: String], file: ConfigurationFile?,
        defaults: [String: String] = Self.defaults()
    ) {
        let profile = Profile.chosen(by: arguments, environment, file)
        options = EnvironmentOptions.serveOptions.filter { $0 != "config" }.map { name in
            let given = EnvironmentOptions.values(of: name, in: arguments)
            let (values, origin) =
                given.isEmpty
                ? EnvironmentOptions.values(of: name, environment, file, profile)
                    ?? (defaults[name].map { [$0] } ?? [], "default")
                : (given, "command line")
            let isRepeatable = EnvironmentOptions.repeatableOptions.contains(name)
            return Option(
                name: name, values: (isRepeatable ? values : values.suffix(1)).map(Self.redacted),
                origin: origin)
        }
    }

    /// Returns the default values of the options of `waypost serve`, by the options' names. Options
    /// without a default are absent.
    static func defaults() -> [String: String] {
        guard
            let help = try? JSONValue(parsing: Array(Serve._dumpHelp().utf8), maximumDepth: 32),
            let arguments = help["command"]?["arguments"]?.elements
        else { return [:] }
        var defaults: [String: String] = [:]
        for argument in arguments {
            guard let name = argument["preferredName"]?["name"]?.text else { continue }
            let isFlag = EnvironmentOptions.flags.contains(name)
            defaults[name] = isFlag ? "false" : argument["defaultValue"]?.text
        }
        return defaults
    }

    /// Returns an option's value with `***` in place of the password, if the value is the URL of a
    /// database with a password. libpq decodes percent signs also in the names of settings, so that a
    /// name with one may be that of a password.
    private static func redacted(_ value: String) -> String {
        value
            .replacing(#/^(?i)(postgres(?:ql)?:/*[^:@/?]*):.*@/#) { "\($0.output.1):***@" }
            .replacing(#/([?&](?:(?:ssl)?password|[^=&]*%[^=&]*)=)[^&]*/#) { "\($0.output.1)***" }
    }
}
