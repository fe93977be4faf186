import AppDefinition
import AppLoading
import ArgumentParser
import Foundation
import NavigationRules

/// The options that select the app and its data files.
struct DataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The storyboard of the app: JSON, a property list, or a file of Xcode.",
            discussion: """
                A storyboard of Xcode, or the folder of its project, is imported. Default: the \
                storyboard of the built-in app, the Library.
                """, valueName: "file"))
    var storyboard: String?

    @Option(
        help: ArgumentHelp(
            "The authors and books of the app: a property list (XML, binary or OpenStep).",
            discussion: """
                The list is an array of {Author: string, Books: [{Title: string, Cover: string, …}]}. \
                Default: the books of the built-in app, the Library.
                """,
            valueName: "file"))
    var catalog: String?

    @Option(
        help: ArgumentHelp(
            "The keys of the catalog that differ from Author, Books, Title and Cover.",
            discussion: "For example author=writer,books=works,title=titleOfBook,cover=bookImage.",
            valueName: "mapping",
            visibility: .hidden))
    var catalogKeys: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the cover images.",
            discussion: "Default: the folder of the catalog file.", valueName: "folder",
            visibility: .hidden))
    var covers: String?

    @OptionGroup(visibility: .hidden) var xcode: ImportFiles

    @Option(
        help: ArgumentHelp(
            "The maximum number of view controllers on one stack.",
            discussion: """
                All stacks of a session together have at most \(SizeLimits.viewControllers).
                """, valueName: "number", visibility: .hidden))
    var maxStackDepth = SizeLimits().stackDepth

    @Option(
        help: ArgumentHelp(
            "The maximum number of characters in a title, an item or a parameter.",
            valueName: "number", visibility: .hidden))
    var maxTitleLength = SizeLimits().textLength

    @Option(
        help: ArgumentHelp(
            "The maximum number of items on one side of a navigation bar, or in a toolbar.",
            valueName: "number", visibility: .hidden))
    var maxItems = SizeLimits().items

    @Option(
        help: ArgumentHelp(
            "The maximum size in bytes of all texts that clients put into one session, as JSON.",
            valueName: "bytes", visibility: .hidden))
    var maxSessionSize = SizeLimits().sessionSize

    /// The sentence about the hidden options, for the help of commands.
    static let help = "--help-hidden also lists the options that are rarely used."

    func validate() throws {
        if let catalogKeys, CatalogKeys(catalogKeys) == nil {
            throw ValidationError(
                "--catalog-keys must be entries such as title=titleOfBook, separated by commas, "
                    + "with the names author, books, title and cover")
        }
        if let storyboard { try xcode.refuse(notImporting: storyboard) }
        try checkRanges([
            ("max-stack-depth", maxStackDepth, 1...SizeLimits.viewControllers),
            ("max-title-length", maxTitleLength, 1...65_536),
            ("max-items", maxItems, 0...10_000),
            ("max-session-size", maxSessionSize, 1...67_108_864),
        ])
    }

    private var limits: SizeLimits {
        var limits = SizeLimits()
        limits.stackDepth = maxStackDepth
        limits.textLength = maxTitleLength
        limits.items = maxItems
        limits.sessionSize = maxSessionSize
        return limits
    }

    /// Reads the files that the options name.
    /// - Parameters:
    ///   - storyboard: the path of a storyboard in place of the value of `--storyboard`; nil for
    ///     the value of the option.
    ///   - showsWarnings: whether to print warnings if no file has defects.
    ///   - status: what to throw if a file has defects. A command that examines the files has found
    ///     them; other commands cannot run with them.
    /// - Throws: `status` if a file has defects, or `couldNotRun` if a file cannot be read. The
    ///   defects are printed first.
    func load(
        storyboard: String? = nil, showsWarnings: Bool,
        ifDefective status: ExitStatus = .couldNotRun
    ) throws -> LoadedApp {
        let storyboard = storyboard ?? self.storyboard
        if storyboard == nil { try xcode.refuse(notImporting: nil) }
        let files = files(storyboard: storyboard)
        do {
            let data = try files.load()
            if showsWarnings { printFindings(data.warnings, kind: "warning: ") }
            return data
        } catch {
            printFindings(error.warnings, kind: "warning: ")
            printFindings(error.defects)
            throw status == .findings ? ExitStatus.defects(of: files.paths) : status
        }
    }

    /// Returns the paths and settings from the options, with this storyboard. Reads no file.
    /// - Parameter storyboard: the path of the storyboard, in place of the value of `--storyboard`;
    ///   nil for the built-in one.
    func files(storyboard: String?) -> AppFiles {
        var files = AppFiles(catalog: catalog, covers: covers, storyboard: storyboard)
        files.limits = limits
        files.catalogKeys = catalogKeys.flatMap { CatalogKeys($0) } ?? CatalogKeys()
        files.xcode = xcode.source
        return files
    }
}

/// The options for the import of Xcode's storyboards.
struct ImportFiles: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with settings for the import that Xcode's storyboards cannot contain.",
            discussion: "docs/importing.md describes the file.", valueName: "file"))
    var importOptions: String?

    @Option(
        help: ArgumentHelp(
            "The rows of the imported tables, by scene: JSON or a property list.",
            valueName: "file"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The name of the Xcode storyboard with which the app starts.",
            discussion: "Default: the name in Info.plist; Main if Info.plist has no name.",
            valueName: "name"))
    var initialStoryboard: String?

    @Option(
        help: ArgumentHelp(
            "A .strings file with translated titles for the Xcode storyboard of the same name.",
            valueName: "file"))
    var strings: String?

    @Option(
        help: ArgumentHelp(
            "The language of the titles of imported storyboards.",
            discussion: """
                For example, fr reads the titles of Base.lproj/Main.storyboard from \
                fr.lproj/Main.strings.
                """,
            valueName: "language"))
    var language: String?

    /// The paths of the files that the options name.
    var paths: [String] { [importOptions, data, strings].compactMap(\.self) }

    /// The first option that is set, such as `--data`; nil if none is.
    var firstOption: String? {
        let options = [
            ("--import-options", importOptions), ("--data", data), ("--strings", strings),
            ("--language", language), ("--initial-storyboard", initialStoryboard),
        ]
        return options.first { $0.1 != nil }?.0
    }

    /// Refuses the options if there is no storyboard, or if it exists and is Waypost's, because it is
    /// not imported.
    func refuse(notImporting storyboard: String?) throws {
        guard let option = firstOption else { return }
        guard let storyboard else {
            throw ValidationError("\(option) needs --storyboard, which names a storyboard of Xcode")
        }
        guard !ImportSource.isXcode(storyboard),
            FileManager.default.fileExists(atPath: storyboard)
        else { return }
        let mend = option == "--data" ? "name its data in data.file" : "leave out \(option)"
        throw ValidationError(
            "\(option) is for the import of an Xcode storyboard, and \(storyboard) is one of "
                + "Waypost: \(mend)")
    }

    /// The files of an import, still without its storyboards.
    var source: ImportSource {
        var source = ImportSource()
        source.options = importOptions
        source.rows = data
        source.initialStoryboard = initialStoryboard
        source.translations.files = strings.map { [$0] } ?? []
        source.translations.language = language
        return source
    }

    /// Returns the imported storyboard as JSON text in which the paths of the data are relative to
    /// the folder of the file that gets the text.
    /// - Parameter output: the path of this file; nil for the standard output, with paths relative
    ///   to the present folder.
    func json(of imported: StoryboardImport, for output: String?) -> String {
        guard let importOptions else { return imported.json }
        let folder = ".".inFolder(of: output ?? "")
        return imported.json { path in
            path.hasPrefix("/")
                ? path : RelativePath.from(folder, to: path.inFolder(of: importOptions))
        }
    }

    /// Imports Xcode storyboards or projects with these files, and prints the findings.
    /// - Parameter status: what to throw if a file is unusable.
    func run(
        _ paths: [String], ifUnusable status: (_ paths: [String]) -> ExitStatus
    ) throws -> StoryboardImport {
        var source = source
        source.paths = paths
        let imported: StoryboardImport
        do {
            imported = try source.run()
        } catch {
            printFindings(error.defects, kind: "error: ")
            throw status(paths + self.paths)
        }
        for severity in [ImportFinding.Severity.warning, .note] {
            let findings = imported.findings.filter { $0.severity == severity }
            printFindings(findings.map(\.diagnostic), kind: "\(severity): ")
        }
        return imported
    }
}

/// Checks that the values of options are at least `minimum`.
/// - Throws: `ValidationError`, which names the first option whose value is less.
func checkMinimum(_ minimum: Int, _ options: [(name: String, value: Int)]) throws {
    for (name, value) in options where value < minimum {
        throw ValidationError("--\(name) must be \(minimum) or more")
    }
}

/// Checks that the values of options lie in their ranges.
/// - Throws: `ValidationError`, which names the first option whose value is out of range.
func checkRanges(_ options: [(name: String, value: Int, range: ClosedRange<Int>)]) throws {
    for (name, value, range) in options where !range.contains(value) {
        throw ValidationError("--\(name) must be from \(range.lowerBound) to \(range.upperBound)")
    }
}
