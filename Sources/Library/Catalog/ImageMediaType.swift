/// The types of image that are served as covers.
public enum ImageMediaType: String, Sendable, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"

    /// - Returns: the type that a file name's extension stands for, in upper or lower case.
    init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        switch fileName[dot...].lowercased() {
        case ".png": self = .png
        case ".jpg", ".jpeg": self = .jpeg
        case ".gif": self = .gif
        case ".webp": self = .webp
        default: return nil
        }
    }
}
