import AppDefinition
import AppLoading
import ArgumentParser
import Flows

/// Creates a storyboard of Waypost from storyboards that Xcode has written.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create a storyboard of Waypost from the storyboards of an Xcode project.",
        discussion: """
            Prints the storyboard to standard output, and lists on standard error each part that \
            Waypost cannot represent exactly. Exits with 1 if there are errors, and with 2 if a file is missing or cannot be \
            read or written.
            """)

    @Argument(
        help: ArgumentHelp(
            "Storyboards of Xcode, or the folder of a project.", valueName: "files"))
    var paths: [String]

    @Option(name: .shortAndLong, help: "The file to write instead of standard output.")
    var output: String?

    @OptionGroup(title: "Files of the app") var files: ImportFiles

    @Flag(help: "Exit with 1 if there are warnings.")
    var failOnWarnings = false

    @Flag(help: "Print the navigation graph of one file, without any interpretation.")
    var graph = false

    func run() throws {
        if graph, paths.count != 1 { throw ValidationError("--graph takes one file") }
        try checkOutput()
        if graph { return try writeGraph() }
        let imported = try files.run(paths, ifUnusable: ExitStatus.defects)
        try check(imported)
        try write(String(files.json(of: imported, for: output).dropLast()))
        if failOnWarnings, imported.hasWarnings { throw ExitStatus.findings }
    }

    /// Checks the storyboard as `waypost check` does, because options can add members with defects.
    private func check(_ imported: StoryboardImport) throws {
        var app = AppFiles(storyboard: paths[0])
        app.xcode = files.source
        app.imported = imported
        do {
            _ = try app.load()
        } catch {
            printFindings(error.defects, kind: "error: ")
            throw ExitStatus.defects(of: app.paths)
        }
    }

    private func write(_ json: String) throws {
        guard let output else { return printOutput(json) }
        try OutputFile.write(json + "\n", to: output)
    }

    /// Checks before the import that the output can be written, and that it would not replace a file
    /// that the command reads.
    private func checkOutput() throws {
        guard let output else { return }
        var source = files.source
        source.paths = paths
        try [output].refuse(inputs: source.inputs(perhaps: output), as: "output")
        try OutputFile.check(output)
    }

    private func writeGraph() throws {
        let storyboard: XcodeStoryboard
        do {
            storyboard = try XcodeStoryboard(contentsOfFile: paths[0])
        } catch {
            printError("\(paths[0].printableLine): \(error.reason.printableLine)")
            throw ExitStatus.defects(of: paths)
        }
        try write(storyboard.graph.layout)
    }
}
