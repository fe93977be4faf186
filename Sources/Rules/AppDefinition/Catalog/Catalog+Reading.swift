import Foundation

extension Catalog {
    /// Reads a catalog of books from a property list. Blocks the thread until the file is read.
    ///
    /// The file is usually an array of dictionaries, each with an `Author` and an array of `Books`.
    /// Each book is a dictionary with a `Title` and, optionally, a `Cover`. `CatalogDecoder`
    /// documents the other forms.
    /// - Parameters:
    ///   - path: the path of a property list in XML, binary or OpenStep format.
    ///   - coversFolder: the folder of the cover images; nil for the folder that contains the file.
    ///   - keys: the keys of the file's dictionaries.
    /// - Returns: the catalog, with warnings such as those for missing covers.
    /// - Throws: all mistakes in the file.
    public static func read(
        fromFile path: String, coversFolder: String? = nil, keys: CatalogKeys = CatalogKeys()
    ) throws(UnusableFile) -> Decoded<Catalog> {
        let folder = coversFolder ?? URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try Decoded(contentsOfFile: path) { decode($0, coversFolder: folder, keys) }
    }

    /// Reads a catalog that is in the executable.
    /// - Parameters:
    ///   - file: the file name that diagnostics show.
    ///   - coversFolder: the folder of the cover images; nil for those in the executable.
    ///   - embedded: returns the image in the executable with a name; nil if there is none.
    /// - Throws: all mistakes in the catalog, and a defect if the folder does not exist.
    package static func read(
        _ bytes: [UInt8], from file: String, coversFolder: String?,
        embedded: @escaping @Sendable (String) -> EmbeddedImage?
    ) throws(UnusableFile) -> Decoded<Catalog> {
        try Decoded(bytes: bytes, from: file) {
            guard let coversFolder else {
                let covers = ImageFolder(embedded: embedded, kind: "covers")
                return CatalogDecoder(covers: covers).catalog(from: $0)
            }
            return decode($0, coversFolder: coversFolder)
        }
    }

    static func decode(
        _ reader: PropertyListReader, coversFolder: String, _ keys: CatalogKeys = CatalogKeys()
    ) -> Catalog? {
        guard let covers = ImageFolder(path: coversFolder, kind: "covers") else {
            reader.reportDefect("there is no covers folder \(coversFolder); name one that exists")
            return nil
        }
        return CatalogDecoder(covers: covers, keys: keys).catalog(from: reader)
    }
}
