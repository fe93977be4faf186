import Foundation
import PropertyLists

/// The files of an import: storyboards of Xcode, the options and the rows of tables.
public struct ImportSource: Sendable {
    /// The paths of storyboards, or of the folder of a project.
    public var paths: [String]
    public var options: String?
    /// The path of the file with the rows of tables, by scene.
    public var rows: String?
    public var initialStoryboard: String?
    public var translations = Translations()

    public init(paths: [String]) { self.paths = paths }

    /// Returns whether a path names a storyboard of Xcode or a folder, and not a storyboard of
    /// Waypost.
    public static func isXcode(_ path: String) -> Bool {
        path.hasSuffix(".storyboard") || ProjectFolder.isFolder(path)
    }

    /// Reads all files and imports the storyboards. Blocks until the files are read.
    /// - Throws: the defects of the files.
    public func run() throws(UnusableFile) -> StoryboardImport {
        var options = ImportOptions()
        if let path = self.options { try options.read(fromFile: path) }
        if let rows { try options.readRows(fromFile: rows) }
        do {
            let project = try XcodeProject(
                paths: paths, initialStoryboard: initialStoryboard, translations: translations)
            return StoryboardImport(project, options: options)
        } catch {
            let file = paths.count == 1 ? URL(fileURLWithPath: paths[0]).lastPathComponent : ""
            let reason =
                error.reason.hasPrefix("\(file): ")
                ? String(error.reason.dropFirst(file.count + 2)) : error.reason
            throw UnusableFile(
                defects: [Diagnostic(file: file, keyPath: "", reason: reason)], warnings: [])
        }
    }
}

extension ImportFinding {
    /// The finding as a diagnostic of its file, with the object id as its place.
    public var diagnostic: Diagnostic { Diagnostic(file: file, keyPath: object, reason: reason) }
}
