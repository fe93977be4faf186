import ArgumentParser
import Library

/// Which app is served, and what it shows.
struct DataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The books: a property list (XML, binary or OpenStep).",
            discussion: """
                An array of {Author: string, Books: [{Title: string, Cover: string, …}]}. \
                Default: the built-in Library's.
                """,
            valueName: "file"))
    var catalog: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the cover images.",
            discussion: "Default: the folder of the catalog file.", valueName: "folder"))
    var covers: String?

    @Option(
        help: ArgumentHelp(
            "The app's scenes: JSON or a property list.",
            discussion: "Default: the built-in Library's.", valueName: "file"))
    var storyboard: String?

    @Option(help: "The most view controllers that a stack may hold.")
    var maxStackDepth = 1000

    func validate() throws {
        guard maxStackDepth > 0 else {
            throw ValidationError("--max-stack-depth must be 1 or more")
        }
    }

    /// Reads what the options name. Prints warnings; prints all defects and exits with 1.
    func load() throws -> AppData {
        var files = AppFiles(catalog: catalog, covers: covers, storyboard: storyboard)
        files.maximumStackDepth = maxStackDepth
        do {
            let data = try files.load()
            for warning in data.warnings { printError("warning: \(warning)") }
            return data
        } catch {
            for warning in error.warnings { printError("warning: \(warning)") }
            for defect in error.defects { printError("\(defect)") }
            throw ExitCode(1)
        }
    }
}
