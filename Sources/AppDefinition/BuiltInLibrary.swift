import Foundation

/// The files of the Library, the built-in example app. The executable contains them, so that it
/// needs no files beside it.
enum BuiltInLibrary {
    static let catalog = bytes(of: builtInCatalog)
    static let storyboard = bytes(of: builtInStoryboard)

    /// Returns the cover in the file of this name; nil if there is no such file.
    static func cover(named fileName: String) -> BuiltInImage? {
        covers[fileName].map(BuiltInImage.init)
    }

    private static let covers = Dictionary(
        uniqueKeysWithValues: builtInCovers.enumerated().map { ("\($1.name)", $0) })

    private static func bytes(of text: StaticString) -> [UInt8] {
        text.withUTF8Buffer(Array.init)
    }
}

/// An image in the executable.
public struct BuiltInImage: Sendable, Equatable {
    fileprivate let index: Int

    /// The content of the file. Decodes it from Base64.
    public var bytes: [UInt8] {
        let text = builtInCovers[index].base64
        let encoded = Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: text.utf8Start),
            count: text.utf8CodeUnitCount, deallocator: .none)
        guard let decoded = Data(base64Encoded: encoded) else {
            preconditionFailure("the executable has a damaged image")
        }
        return Array(decoded)
    }
}
