import Foundation
import Navigation
import PropertyLists
import XcodeStoryboards

/// The paths of the files that define an app: its catalog, covers and storyboard. A nil path stands
/// for the file of the built-in Library; but if `catalog` is not nil, nil `covers` stand for the
/// folder of that catalog.
public struct AppFiles: Sendable {
    public var catalog: String?
    /// The keys of the catalog's dictionaries, unless the catalog is the built-in one.
    public var catalogKeys = CatalogKeys()
    public var covers: String?
    /// The path of a storyboard of Waypost or of Xcode, or of the folder of an Xcode project.
    public var storyboard: String?
    /// The file with the options of an import from Xcode. `importData` is the file with the rows by
    /// scene, and `initialStoryboard` the name of the Xcode storyboard with which the app starts.
    public var importOptions: String?
    public var importData: String?
    public var initialStoryboard: String?
    /// The translated texts of storyboards of Xcode.
    public var translations = Translations()
    public var limits = SizeLimits()

    public init(catalog: String? = nil, covers: String? = nil, storyboard: String? = nil) {
        self.catalog = catalog
        self.covers = covers
        self.storyboard = storyboard
    }

    /// Reads and checks all files. Blocks until they are read.
    /// - Throws: all defects of the catalog; if it has none, all defects of the storyboard and its
    ///   data.
    public func load() throws(UnusableFile) -> AppData {
        let bundled = BundledLibrary()
        let catalog = try Catalog.read(
            fromFile: self.catalog ?? bundled.catalog,
            coversFolder: covers ?? (self.catalog == nil ? bundled.covers : nil),
            keys: self.catalog == nil ? CatalogKeys() : catalogKeys)
        let imported = try importFromXcode()
        var file = StoryboardFile(
            path: storyboard ?? bundled.storyboard, sibling: imported == nil ? nil : importOptions)
        file.imported = imported.map { Array($0.json.utf8) }
        let storyboard = try file.read(library: RecordSource(catalog.value))
        var digest = catalog.digest
        digest.add(storyboard.digest)
        // Screens refer only to the images that exist, which the digest must therefore include.
        for book in catalog.value.authors.flatMap(\.books) {
            digest.add("\(book.cover?.fileName ?? "")\0".utf8)
        }
        for name in storyboard.value.images.keys.sorted() { digest.add(name.utf8) }
        let content = storyboard.value
        return AppData(
            app: App(
                storyboard: content.storyboard, dataSource: content.dataSource, limits: limits,
                digest: digest.value),
            catalog: content.hasOwnData ? nil : catalog.value, images: content.images,
            summary: content.dataSource.summary,
            warnings: catalog.warnings + (imported?.warnings ?? []) + storyboard.warnings
                + uselessCatalog(content))
    }

    /// Imports the storyboard; returns nil if it is not one of Xcode.
    private func importFromXcode() throws(UnusableFile) -> StoryboardImport? {
        guard let storyboard, ImportSource.isXcode(storyboard) else { return nil }
        var source = ImportSource(paths: [storyboard])
        source.options = importOptions
        source.rows = importData
        source.initialStoryboard = initialStoryboard
        source.translations = translations
        return try source.run()
    }

    /// Returns a warning if `catalog` names a file that no scene can show, because the storyboard
    /// has data of its own.
    private func uselessCatalog(_ content: StoryboardFile.Content) -> [Diagnostic] {
        guard content.hasOwnData, let catalog else { return [] }
        return [
            Diagnostic(
                file: URL(fileURLWithPath: catalog).lastPathComponent, keyPath: "",
                reason: "not served; the storyboard has data of its own")
        ]
    }
}

/// The content of an app's files.
public struct AppData: Sendable {
    public let app: App
    /// The books that the scenes show; nil where the storyboard has data of its own.
    public let catalog: Catalog?
    /// The images of the storyboard's own data, by file name.
    public let images: [String: Cover]
    /// The data in numbers: `15 authors, 65 books`.
    public let summary: String
    public let warnings: [Diagnostic]
}

/// The paths of the built-in Library's files, which are in a folder beside the executable.
struct BundledLibrary {
    let catalog: String
    let covers: String
    let storyboard: String

    /// Finds the folder. A missing file becomes an error when it is read; `Bundle.module`, by
    /// contrast, would end the process if the executable was moved without its folder.
    init() {
        let folder = Bundle.main.bundleURL.appendingPathComponent("waypost_AppDefinition.resources")
        catalog = folder.appendingPathComponent("Books.plist").path
        covers = folder.appendingPathComponent("Covers").path
        storyboard = folder.appendingPathComponent("Library.json").path
    }
}

extension StoryboardImport {
    /// The findings that the owner of the storyboards should know.
    fileprivate var warnings: [Diagnostic] {
        findings.filter { $0.severity > .note }.map(\.diagnostic)
    }
}
