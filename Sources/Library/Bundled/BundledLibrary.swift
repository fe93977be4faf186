import Foundation

/// The files of the built-in Library, which lie in a folder beside the executable.
public struct BundledLibrary: Sendable {
    public let catalog: String
    public let covers: String
    public let storyboard: String

    /// - Returns: nil if the executable was moved without its resources.
    public init?() {
        // Bundle.module would end the process where the folder is missing.
        let folder = Bundle.main.bundleURL.appendingPathComponent("waypost_Library.resources")
        catalog = folder.appendingPathComponent("Books.plist").path
        covers = folder.appendingPathComponent("Covers").path
        storyboard = folder.appendingPathComponent("Library.json").path
        guard FileManager.default.fileExists(atPath: catalog) else { return nil }
    }
}
