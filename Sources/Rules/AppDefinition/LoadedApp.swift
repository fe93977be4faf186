import NavigationRules

/// An app and its data, as read from its files.
public struct LoadedApp: Sendable {
    public let app: App
    /// The catalog of books that the scenes show; nil if the storyboard comes with its own data.
    public let catalog: Catalog?
    /// The images in the storyboard's own data, by file name; empty if the scenes show the catalog.
    public let images: [String: Cover]
    /// The amount of data as text, such as `15 authors, 65 books`.
    public let summary: String
    public let warnings: [Diagnostic]

    public init(
        app: App, catalog: Catalog?, images: [String: Cover], summary: String,
        warnings: [Diagnostic]
    ) {
        self.app = app
        self.catalog = catalog
        self.images = images
        self.summary = summary
        self.warnings = warnings
    }
}
