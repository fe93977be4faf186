import AppDefinition
import Foundation

/// The folder of an Xcode project, and what the import finds in it.
struct ProjectFolder {
    /// The paths of the storyboards, sorted. Of the copies of a storyboard in the `.lproj` folders
    /// of several languages, only one is among them: the copy in `Base.lproj`, else the one in
    /// `en.lproj`, else the first one.
    private(set) var storyboards: [String] = []
    /// The names of the main storyboards of all Info.plists, in the order of the files. One of them
    /// can be that of a watch app or of an extension.
    private(set) var mainStoryboards: [String] = []
    /// The classes whose source code declares an unwind action, by the selector of the action.
    private(set) var unwindActions: [String: [String]] = [:]
    /// The storyboard identifiers of the scenes that the source code creates.
    private(set) var instantiated: Set<String> = []
    /// A warning if the folder has more files than the import examines; otherwise empty.
    private(set) var findings: [ImportFinding] = []

    private static let skipped: Set<String> = ["Pods", "Carthage", "DerivedData", "build"]

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    /// Returns whether a file is in a folder, also by a link, and has a name that the import reads.
    static func reads(_ file: String, in folder: String) -> Bool {
        func resolved(_ path: String) -> String {
            URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        }
        let (file, root) = (resolved(file), resolved(folder))
        return file.hasPrefix(root == "/" ? root : root + "/")
            && [".storyboard", ".plist", ".strings", ".swift", ".m", ".mm"]
                .contains(where: file.hasSuffix)
    }

    /// Reads the folder of a project. Blocks the thread until all files are read.
    /// - Parameter limit: the maximum number of files and folders that the import examines. Further
    ///   files are ignored.
    init(path: String, limit: Int) {
        let root = URL(fileURLWithPath: path)
        guard let entries = FileManager.default.enumerator(atPath: root.path) else { return }
        var files: [String] = []
        var count = 0
        while let entry = entries.nextObject() as? String {
            guard count < limit else {
                findings.append(
                    ImportFinding(
                        severity: .warning, file: root.lastPathComponent, object: "",
                        reason: "has more than \(limit) files and folders: the others are ignored; "
                            + "name the folder of the app, or its storyboards"))
                break
            }
            count += 1
            let name = String(entry.split(separator: "/").last ?? "")
            if name.hasPrefix(".") || Self.skipped.contains(name) {
                entries.skipDescendants()
            } else {
                files.append(entry)
            }
        }
        for file in Self.withoutTranslations(files.sorted()) { add(file, in: root) }
    }

    /// Returns the files without the storyboards that are translated copies of another one.
    private static func withoutTranslations(_ files: [String]) -> [String] {
        /// The copy of each storyboard with the lowest rank so far, by the path without the
        /// `.lproj` folder. `place(of:)` determines the ranks.
        var chosen: [String: (file: String, rank: Int)] = [:]
        for file in files where file.hasSuffix(".storyboard") {
            let (path, rank) = place(of: file)
            if chosen[path].map({ rank < $0.rank }) ?? true { chosen[path] = (file, rank) }
        }
        return files.filter { file in
            !file.hasSuffix(".storyboard") || chosen[place(of: file).path]?.file == file
        }
    }

    /// Returns the path of a storyboard without the `.lproj` folder of a language, and a rank. The
    /// rank is 0 outside `.lproj` folders, 1 in `Base.lproj`, 2 in `en.lproj`, and 3 in other
    /// `.lproj` folders. Among copies of one storyboard, the first one with the lowest rank is
    /// imported.
    private static func place(of file: String) -> (path: String, rank: Int) {
        var components = file.split(separator: "/")
        guard let index = components.lastIndex(where: { $0.hasSuffix(".lproj") }) else {
            return (file, 0)
        }
        let folder = components.remove(at: index)
        let rank = ["Base.lproj", "en.lproj"].firstIndex(of: folder) ?? 2
        return (components.joined(separator: "/"), rank + 1)
    }

    private mutating func add(_ file: String, in root: URL) {
        let path = root.appendingPathComponent(file).path
        if file.hasSuffix(".storyboard") {
            storyboards.append(path)
        } else if file.hasSuffix("Info.plist") {
            if let name = Self.mainStoryboard(ofInfo: path) { mainStoryboards.append(name) }
        } else if [".swift", ".m", ".mm"].contains(where: file.hasSuffix),
            let bytes = try? PropertyList.bytes(ofFile: path, atMost: 1 << 20)
        {
            let source = SourceFile(String(decoding: bytes, as: UTF8.self))
            unwindActions.merge(source.unwindActions) { $0 + $1 }
            instantiated.formUnion(source.instantiated)
        }
    }

    private static func mainStoryboard(ofInfo path: String) -> String? {
        guard case .dictionary(let info)? = try? PropertyList(contentsOfFile: path) else {
            return nil
        }
        if let name = sceneStoryboard(in: .dictionary(info), depth: 0) { return name }
        // UIKit reads this key only for an app without scenes.
        guard case .string(let name)? = info["UIMainStoryboardFile"] else { return nil }
        return name
    }

    /// Returns the name of the first storyboard in a scene manifest, which is a part of an
    /// Info.plist; nil if the value contains none.
    /// - Parameter depth: the number of arrays and dictionaries around the value. Values at a depth
    ///   of 6 or more are not searched.
    private static func sceneStoryboard(in value: PropertyList, depth: Int) -> String? {
        guard depth < 6 else { return nil }
        switch value {
        case .dictionary(let members):
            if case .string(let name)? = members["UISceneStoryboardFile"] { return name }
            return members.sorted { $0.key < $1.key }.lazy
                .compactMap { sceneStoryboard(in: $0.value, depth: depth + 1) }.first
        case .array(let elements):
            return elements.lazy.compactMap { sceneStoryboard(in: $0, depth: depth + 1) }.first
        default: return nil
        }
    }
}
