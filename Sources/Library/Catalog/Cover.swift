/// A book's cover: an image file inside the covers folder.
public struct Cover: Sendable, Equatable {
    /// As the catalog's file names it, relative to the covers folder.
    public let fileName: String

    /// Absolute, all symbolic links resolved, so that what was checked is what is opened.
    public let path: String
    public let mediaType: ImageMediaType
}
