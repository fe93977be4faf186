import Foundation

/// The files of the built-in Library, which lie in a folder beside the executable.
struct BundledLibrary {
    let catalog: String
    let covers: String
    let storyboard: String

    /// Whether they are there is seen when they are read: `Bundle.module` would end the process of
    /// an executable that was moved without its folder.
    init() {
        let folder = Bundle.main.bundleURL.appendingPathComponent("waypost_Library.resources")
        catalog = folder.appendingPathComponent("Books.plist").path
        covers = folder.appendingPathComponent("Covers").path
        storyboard = folder.appendingPathComponent("Library.json").path
    }
}
