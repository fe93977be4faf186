import ArgumentParser
import Foundation

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the options that `waypost serve` would use, and the source of each.",
        // The parser would name the command whose options these are.
        usage: "waypost config [<options>]",
        discussion: """
            The output is a configuration file. The command line takes precedence over the \
            environment, and the environment over the file. The passwords of databases are left out.
            """)

    @OptionGroup var options: Serve

    func run() throws {
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        let environment = ProcessInfo.processInfo.environment
        let inForce = OptionsInForce(
            arguments: arguments, environment: environment,
            file: try EnvironmentOptions.file(for: ["config"] + arguments, environment))
        for option in inForce.options { printOutput(option.line.wholePrintableLine) }
    }
}
