import AppDefinition
import ArgumentParser
import Navigation
import XcodeStoryboards

/// The options that select the app and its data files.
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
            "The keys of the catalog, where they are others.",
            discussion: "For example author=writer,books=works,title=titleOfBook,cover=bookImage.",
            valueName: "mapping"))
    var catalogKeys: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the cover images.",
            discussion: "Default: the folder of the catalog file.", valueName: "folder"))
    var covers: String?

    @Option(
        help: ArgumentHelp(
            "The app's scenes: JSON, a property list, or Xcode's.",
            discussion: """
                A storyboard of Xcode, or the folder of its project, is imported. Default: the \
                built-in Library's.
                """, valueName: "file"))
    var storyboard: String?

    @OptionGroup var xcode: ImportFiles

    @Option(
        help: """
            The most view controllers that a stack may hold. All stacks of a session together hold at \
            most \(SizeLimits.viewControllers).
            """)
    var maxStackDepth = SizeLimits().stackDepth

    @Option(help: "The most characters that a title, an item or a parameter may have.")
    var maxTitleLength = SizeLimits().textLength

    @Option(help: "The most items that one side of a navigation bar, or a toolbar, may have.")
    var maxItems = SizeLimits().items

    @Option(help: "The most bytes that all texts from clients may take in a session, as JSON.")
    var maxSessionSize = SizeLimits().sessionSize

    func validate() throws {
        if let catalogKeys, CatalogKeys(catalogKeys) == nil {
            throw ValidationError(
                "--catalog-keys must be parts such as title=titleOfBook, separated by commas, "
                    + "with the names author, books, title and cover")
        }
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

    /// Reads the files that the options name, and prints all warnings.
    /// - Throws: `ExitCode` with status 1 if a file has defects. The defects are printed first.
    func load() throws -> AppData {
        try load(storyboard: storyboard, showsWarnings: true)
    }

    /// Reads the files that the options name, with this storyboard.
    /// - Parameters:
    ///   - storyboard: the path of the storyboard, in place of the value of `--storyboard`; nil for
    ///     the built-in one.
    ///   - showsWarnings: whether to print warnings if no file has defects.
    /// - Throws: `ExitCode` with status 1 if a file has defects. The defects are printed first.
    func load(storyboard: String?, showsWarnings: Bool) throws -> AppData {
        do {
            let data = try files(storyboard: storyboard).load()
            if showsWarnings { printFindings(data.warnings, kind: "warning: ") }
            return data
        } catch {
            printFindings(error.warnings, kind: "warning: ")
            printFindings(error.defects)
            throw ExitCode(1)
        }
    }

    /// Returns the paths and settings from the options, with this storyboard. Reads no file.
    /// - Parameter storyboard: the path of the storyboard, in place of the value of `--storyboard`;
    ///   nil for the built-in one.
    func files(storyboard: String?) -> AppFiles {
        var files = AppFiles(catalog: catalog, covers: covers, storyboard: storyboard)
        files.limits = limits
        files.catalogKeys = catalogKeys.flatMap { CatalogKeys($0) } ?? CatalogKeys()
        files.importOptions = xcode.importOptions
        files.importData = xcode.data
        files.initialStoryboard = xcode.initialStoryboard
        files.translations = xcode.translations
        return files
    }
}

/// The options for the import of Xcode's storyboards.
struct ImportFiles: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What storyboards of Xcode cannot say.",
            discussion: "See docs/importing.md.", valueName: "file"))
    var importOptions: String?

    @Option(
        help: ArgumentHelp(
            "The rows of imported tables by scene: JSON or a property list.", valueName: "file"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The name of the Xcode storyboard to start with.",
            discussion: "Default: that of Info.plist, else Main.", valueName: "name"))
    var initialStoryboard: String?

    @Option(
        help: ArgumentHelp(
            "Translated titles for the Xcode storyboard of the same name.", valueName: "file"))
    var strings: String?

    @Option(
        help: ArgumentHelp(
            "The language of the titles of imported storyboards.",
            discussion: "For example fr: fr.lproj/Main.strings beside Base.lproj/Main.storyboard.",
            valueName: "language"))
    var language: String?

    var translations: Translations {
        var translations = Translations()
        translations.files = strings.map { [$0] } ?? []
        translations.language = language
        return translations
    }
}

/// Checks that the values of options lie in their ranges.
/// - Throws: `ValidationError`, which names the first option whose value is out of range.
func checkRanges(_ options: [(name: String, value: Int, range: ClosedRange<Int>)]) throws {
    for (name, value, range) in options where !range.contains(value) {
        throw ValidationError("--\(name) must be from \(range.lowerBound) to \(range.upperBound)")
    }
}
