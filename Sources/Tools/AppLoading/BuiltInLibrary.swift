import AppDefinition

/// The files of the Library, the built-in example app. The executable contains them, so that it
/// needs no files beside it.
enum BuiltInLibrary {
    static let catalog = bytes(of: builtInCatalog)
    static let storyboard = bytes(of: builtInStoryboard)

    /// Returns the cover in the file of this name; nil if there is no such file.
    @Sendable static func cover(named fileName: String) -> EmbeddedImage? {
        covers[fileName]
    }

    private static let covers = Dictionary(
        uniqueKeysWithValues: builtInCovers.map { ("\($0.name)", EmbeddedImage(base64: $0.base64)) }
    )

    private static func bytes(of text: StaticString) -> [UInt8] {
        text.withUTF8Buffer(Array.init)
    }
}
