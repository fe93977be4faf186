import Foundation
import PropertyLists

extension Catalog {
    /// Reads a catalog: an array of dictionaries, each with an `Author` and the `Books`, which are
    /// dictionaries with a `Title` and, unless they have none, a `Cover`.
    /// - Parameters:
    ///   - path: a property list in XML, binary or OpenStep format.
    ///   - coversFolder: where covers are; the folder of the file itself unless given.
    /// - Returns: the catalog, with warnings such as covers that are not there.
    /// - Throws: all defects of the file.
    public static func read(
        fromFile path: String, coversFolder: String? = nil
    ) throws(UnusableFile) -> Decoded<Catalog> {
        let folder = coversFolder ?? URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try Decoded(contentsOfFile: path) { decode($0, coversFolder: folder) }
    }

    /// Reads a catalog that is in memory.
    /// - Parameter file: the name that findings bear.
    public static func read(
        _ propertyList: PropertyList, from file: String, coversFolder: String
    ) throws(UnusableFile) -> Decoded<Catalog> {
        try Decoded(propertyList, from: file) { decode($0, coversFolder: coversFolder) }
    }

    private static func decode(_ reader: PropertyListReader, coversFolder: String) -> Catalog? {
        guard let covers = ImageFolder(path: coversFolder, kind: "covers") else {
            reader.reportDefect("there is no covers folder \(coversFolder); name one that exists")
            return nil
        }
        return CatalogDecoder(covers: covers).catalog(from: reader)
    }
}
