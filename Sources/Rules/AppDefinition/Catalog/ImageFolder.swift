import Foundation

/// A folder of images. It finds images by name, and refuses each name that leads out of the folder.
struct ImageFolder {
    enum Lookup {
        case cover(Cover)
        /// The file is missing, or its type is not supported. The owner of the app gets a warning.
        case unavailable(reason: String)
        /// The name is invalid, or it refers to a file outside the folder. The app cannot be
        /// loaded.
        case refused(reason: String)
    }

    private enum Place {
        /// An absolute path, with symbolic links resolved and a slash at its end.
        case folder(String)
        /// Images in the executable, by name.
        case executable(@Sendable (String) -> EmbeddedImage?)
    }

    private let place: Place
    /// The name of the folder in error messages, such as `covers`.
    private let kind: String

    /// Finds images in the executable.
    init(embedded image: @escaping @Sendable (String) -> EmbeddedImage?, kind: String) {
        place = .executable(image)
        self.kind = kind
    }

    /// Opens a folder.
    /// - Parameter kind: the name of the folder in error messages, such as `covers`.
    /// - Returns: nil if there is no folder at the path.
    init?(path: String, kind: String) {
        guard let resolved = Self.resolve(path), Self.type(of: resolved) == S_IFDIR else {
            return nil
        }
        place = .folder(resolved.hasSuffix("/") ? resolved : resolved + "/")
        self.kind = kind
    }

    /// Finds the image with this name. A name without an extension is tried with `.png`, `.jpg` and
    /// `.jpeg`, in this order. `UIImage(named:)` also accepts names without an extension.
    func cover(named name: String) -> Lookup {
        if mistake(in: name) != nil || Self.hasExtension(name) { return file(named: name) }
        for suffix in Self.namedExtensions {
            let lookup = file(named: name + suffix)
            if case .unavailable = lookup { continue }
            return lookup
        }
        let names = Self.namedExtensions.map { name + $0 }.joined(separator: ", ")
        return .unavailable(reason: "none of the files \(names) is in the \(kind) folder")
    }

    private static let namedExtensions = [".png", ".jpg", ".jpeg"]

    private static func hasExtension(_ name: String) -> Bool {
        name.split(separator: "/").last?.contains(".") ?? false
    }

    private func file(named name: String) -> Lookup {
        if let reason = mistake(in: name) { return .refused(reason: reason) }
        let source: Cover.Source?
        switch place {
        case .folder(let path):
            let resolved = Self.resolve(path + name)
            if let resolved, !resolved.hasPrefix(path), resolved + "/" != path {
                return .refused(reason: "\(name) is a link that leads out of the \(kind) folder")
            }
            source = resolved.flatMap {
                Self.type(of: $0) == S_IFREG ? .file(path: $0) : nil
            }
        case .executable(let image): source = image(name).map { .embedded($0) }
        }
        guard let mediaType = ImageMediaType(fileName: name) else {
            return .unavailable(
                reason: "\(name) is not an image type that is served:"
                    + " use .png, .jpg, .jpeg, .gif or .webp")
        }
        guard let source else {
            return .unavailable(reason: "no file \(name) in the \(kind) folder")
        }
        return .cover(Cover(fileName: name, source: source, mediaType: mediaType))
    }

    /// Returns a description of what is wrong with a file name; nil if the name is valid. Does not
    /// check whether the file exists.
    private func mistake(in name: String) -> String? {
        if name.isEmpty {
            "empty; expected the name of a file in the \(kind) folder"
        } else if name.utf8.contains(0) {
            "the file name contains a NUL character"
        } else if name.hasPrefix("/") {
            "\(name) is an absolute path; name a file in the \(kind) folder"
        } else if name.split(separator: "/").contains("..") {
            "\(name) leads out of the \(kind) folder; leave out the \"..\""
        } else {
            nil
        }
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func type(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}

/// The image types that the service can serve.
public enum ImageMediaType: String, Sendable, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"

    /// Determines the type from the extension of a file name, ignoring case.
    /// - Returns: nil if the extension is missing or belongs to no supported type.
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
