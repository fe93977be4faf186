import Foundation

/// Paths that one file gives for another, so that both can be moved together.
enum RelativePath {
    /// Returns the path of a file, which must exist, relative to a folder. The links in the path of
    /// the folder are followed first, because `..` leaves the folder to which a link leads.
    static func from(_ folder: String, to file: String) -> String {
        let base = components(of: URL(fileURLWithPath: folder))
        let target = URL(fileURLWithPath: file).standardizedFileURL
        let path = components(of: target.deletingLastPathComponent()) + [target.lastPathComponent]
        let shared = zip(base, path).prefix { $0 == $1 }.count
        let up = Array(repeating: "..", count: base.count - shared)
        return (up + path[shared...]).joined(separator: "/")
    }

    /// Returns the path of a file for a message: relative to the current folder if the file is in
    /// it, and without `..`.
    static func shown(_ file: String) -> String {
        let path = URL(fileURLWithPath: file).standardizedFileURL.path
        let current = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }

    private static func components(of folder: URL) -> [String] {
        let folder = folder.standardizedFileURL
        // Foundation follows no link in the path of a folder that does not exist yet.
        guard FileManager.default.fileExists(atPath: folder.path) else {
            return components(of: folder.deletingLastPathComponent()) + [folder.lastPathComponent]
        }
        return folder.resolvingSymlinksInPath().pathComponents
    }
}
