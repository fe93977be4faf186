import AppDefinition
import Foundation
import JSON
import NavigationRules
import WaypostCore

/// The paths of the files that define an app: its catalog of books, the covers of the books, and
/// its storyboard.
///
/// If `catalog` is nil, the app has the catalog of the Library, the built-in example app. If
/// `storyboard` is nil, the app has the storyboard of the Library. If `covers` is nil but
/// `catalog` is set, the covers are in the folder of the catalog. If both are nil, the app has the
/// covers of the Library.
package struct AppFiles: Sendable {
    package var catalog: String?
    /// The keys of the dictionaries in the catalog. They have no effect if `catalog` is nil.
    package var catalogKeys = CatalogKeys()
    package var covers: String?
    /// The path of a Waypost storyboard, of an Xcode storyboard, or of the folder of an Xcode
    /// project.
    package var storyboard: String?
    /// The other files of the import, if `storyboard` is Xcode's.
    package var xcode = ImportSource()
    /// The result of the import, if it was run already; nil to run it.
    package var imported: StoryboardImport?
    package var limits = SizeLimits()

    package init(catalog: String? = nil, covers: String? = nil, storyboard: String? = nil) {
        self.catalog = catalog
        self.covers = covers
        self.storyboard = storyboard
    }

    /// The paths of the files that define the app, whether or not the files exist, without those in
    /// folders and those in the executable. Blocks the thread until the storyboard is read, because it
    /// names the files of its data.
    package var paths: [String] {
        let named = [storyboard, catalog, xcode.options, xcode.rows].compactMap(\.self)
        let describing = storyboard.map(ImportSource.isXcode) == true ? xcode.options : storyboard
        return named + xcode.translations.files
            + (describing.map { StoryboardFile.dataFiles(namedIn: $0, json: .jansson) } ?? [])
    }

    /// Reads and checks the files of the app. Blocks the thread until the files are read.
    /// - Throws: all mistakes in the catalog. If the catalog has none, the reasons why an Xcode
    ///   storyboard cannot be imported. If there are no such reasons, all mistakes in the
    ///   storyboard and its data.
    package func load() throws(UnusableFile) -> LoadedApp {
        let catalog =
            if let path = self.catalog {
                try Catalog.read(fromFile: path, coversFolder: covers, keys: catalogKeys)
            } else {
                try Catalog.read(
                    BuiltInLibrary.catalog, from: "Books.plist", coversFolder: covers,
                    embedded: BuiltInLibrary.cover)
            }
        let imported = try importFromXcode()
        var file = StoryboardFile(
            path: storyboard ?? "Library.json", base: imported == nil ? nil : xcode.options,
            json: .jansson)
        file.content =
            storyboard == nil
            ? (BuiltInLibrary.storyboard, isGenerated: false)
            : imported.map { (Array($0.json.utf8), isGenerated: true) }
        let storyboard: Decoded<StoryboardFile.Content>
        do {
            storyboard = try file.read(library: RecordSource(catalog.value))
        } catch {
            throw imported == nil ? error : xcode.placed(error, besides: file.name)
        }
        var digest = catalog.digest
        // Other keys find other values in the same file.
        if self.catalog != nil { digest.add(catalogKeys.differenceFromDefault) }
        digest.add(storyboard.digest)
        // Screens refer only to the images that exist, which the digest must therefore include.
        for book in catalog.value.authors.flatMap(\.books) {
            digest.add("\(book.cover?.fileName ?? "")\0".utf8)
        }
        for name in storyboard.value.images.keys.sorted() { digest.add(name.utf8) }
        let content = storyboard.value
        return LoadedApp(
            app: App(
                storyboard: content.storyboard, dataSource: content.dataSource, limits: limits,
                digest: digest.value),
            catalog: content.hasOwnData ? nil : catalog.value, images: content.images,
            summary: content.dataSource.summary,
            warnings: catalog.warnings + (imported?.warnings ?? []) + storyboard.warnings
                + uselessCatalog(content))
    }

    /// Imports the storyboard from Xcode's format; returns nil if the storyboard does not come from
    /// Xcode.
    private func importFromXcode() throws(UnusableFile) -> StoryboardImport? {
        if let imported { return imported }
        guard let storyboard, ImportSource.isXcode(storyboard) else { return nil }
        var source = xcode
        source.paths = [storyboard]
        return try source.run()
    }

    /// Returns a warning if `catalog` is set but the storyboard contains its own data, because no
    /// scene can then show the catalog. Otherwise, the result is empty.
    private func uselessCatalog(_ content: StoryboardFile.Content) -> [Diagnostic] {
        guard content.hasOwnData, let catalog else { return [] }
        return [
            Diagnostic(
                file: URL(fileURLWithPath: catalog).lastPathComponent, keyPath: "",
                reason: "the catalog is not used, because the storyboard has its own data")
        ]
    }
}

extension StoryboardImport {
    /// The findings of the import as diagnostics, without the findings of severity `note`.
    fileprivate var warnings: [Diagnostic] {
        findings.filter { $0.severity == .warning }.map(\.diagnostic)
    }
}
