import ArgumentParser
import Library
import Navigation

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

    /// Reads what the options name.
    /// - Throws: `UnusableFile` with all defects of the first file that has any.
    func load() throws -> AppData {
        let catalog = try loadCatalog()
        let dataSource = LibraryDataSource(catalog.value)
        let storyboard = try Storyboard.read(
            fromFile: try storyboard ?? bundled().storyboard, dataSource: dataSource)
        return AppData(
            catalog: catalog.value,
            app: App(storyboard: storyboard.value, dataSource: dataSource),
            warnings: catalog.warnings + storyboard.warnings)
    }

    private func loadCatalog() throws -> Reading<Catalog> {
        if let catalog { return try Catalog.read(fromFile: catalog, coversFolder: covers) }
        let bundled = try bundled()
        return try Catalog.read(
            fromFile: bundled.catalog, coversFolder: covers ?? bundled.covers)
    }

    private func bundled() throws -> BundledLibrary {
        guard let bundled = BundledLibrary() else {
            throw ValidationError(
                """
                the built-in Library is not beside the executable: keep the folder \
                waypost_Library.resources there, or name --catalog and --storyboard
                """)
        }
        return bundled
    }
}

struct AppData {
    let catalog: Catalog
    let app: App
    let warnings: [Finding]
}
