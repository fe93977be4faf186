import AppDefinition
import Foundation
import WaypostCore

/// The paths of the files for an import: Xcode storyboards, import options and rows of tables.
package struct ImportSource: Sendable {
    /// The paths of storyboard files, or of folders of Xcode projects.
    package var paths: [String]
    /// The path of the file with options; nil if there is no such file.
    package var options: String?
    /// The path of the file with the rows of tables, by scene name; nil if there is no such file.
    package var rows: String?
    /// The name of the storyboard with which the app starts; nil to let the import choose one.
    package var initialStoryboard: String?
    package var translations = Translations()

    package init(paths: [String] = []) { self.paths = paths }

    /// Returns whether a path names an Xcode storyboard or a folder; false for a Waypost
    /// storyboard.
    package static func isXcode(_ path: String) -> Bool {
        path.hasSuffix(".storyboard") || ProjectFolder.isFolder(path)
    }

    /// Returns the paths of the files that the import can read, of which `output` may be one. A file
    /// in the folder of a project is listed only if it is `output`.
    package func inputs(perhaps output: String) -> [String] {
        let named = [options, rows].compactMap(\.self) + translations.files
        return named
            + paths.compactMap { path in
                guard ProjectFolder.isFolder(path) else { return path }
                return ProjectFolder.reads(output, in: path) ? output : nil
            }
    }

    /// Reads all files and imports the storyboards. Blocks the thread until the files are read.
    /// - Throws: all defects of the file with the import options. If there are none, all defects of
    ///   the file `rows`. If there are none either, the reason why the storyboards cannot be imported.
    ///   If they can, the names in both files that nothing in the project has.
    package func run() throws(UnusableFile) -> StoryboardImport {
        var options = ImportOptions()
        if let path = self.options { try options.read(fromFile: path) }
        if let rows { try options.readRows(fromFile: rows) }
        let project: XcodeProject
        do {
            project = try XcodeProject(
                paths: paths, initialStoryboard: initialStoryboard, translations: translations)
        } catch {
            let file = paths.count == 1 ? URL(fileURLWithPath: paths[0]).lastPathComponent : ""
            let reason =
                error.reason.hasPrefix("\(file): ")
                ? String(error.reason.dropFirst(file.count + 2)) : error.reason
            throw UnusableFile(
                defects: [Diagnostic(file: file, keyPath: "", reason: reason)], warnings: [])
        }
        let imported = StoryboardImport(project, options: options)
        for (file, path) in [(UnknownName.File.options, self.options), (.rows, rows)] {
            let unknown = imported.unknownNames.filter { $0.file == file }
            guard let path, !unknown.isEmpty else { continue }
            _ = try Decoded<Bool>(contentsOfFile: path, admittingJSON: .jansson) { reader in
                for name in unknown { name.report(to: reader) }
                return true
            }
        }
        return imported
    }

    /// Returns the defects of an imported storyboard. A defect of a member that is in the file with
    /// the options is placed there. Blocks the thread until that file is read.
    /// - Parameter name: the file name of the defects that the import has.
    func placed(_ error: UnusableFile, besides name: String) -> UnusableFile {
        guard let options else { return error }
        var others: [Diagnostic] = []
        do {
            _ = try Decoded<Bool>(contentsOfFile: options, admittingJSON: .jansson) { reader in
                for defect in error.defects {
                    let keys = defect.keyPath.split(separator: ".").map { $0.prefix { $0 != "[" } }
                    var place: PropertyListReader? = defect.file == name ? reader : nil
                    for key in keys.prefix(keys.first == "scenes" ? 3 : 1) {
                        place = place?.member(String(key))
                    }
                    guard place != nil, !keys.isEmpty else {
                        others.append(defect)
                        continue
                    }
                    reader.reportDefect(defect.reason, at: defect.keyPath)
                }
                return true
            }
            return error
        } catch {
            return UnusableFile(defects: error.defects + others, warnings: [])
        }
    }
}

extension ImportFinding {
    /// The finding as a diagnostic. The key path of the diagnostic is `object`.
    package var diagnostic: Diagnostic { Diagnostic(file: file, keyPath: object, reason: reason) }
}
