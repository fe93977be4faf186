import Foundation
import TestSupport
import Testing

@testable import AppDefinition
@testable import AppLoading

/// Tests of the Library in the executable.
@Suite struct BuiltInLibraryTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Tools/AppLoading/Resources")

    @Test("The built-in catalog, storyboard and covers are the files in the sources")
    func files() throws {
        #expect(try BuiltInLibrary.catalog == bytes("Books.plist"))
        #expect(try BuiltInLibrary.storyboard == bytes("Library.json"))
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appending(path: "Covers").path)
        #expect(names.count >= 40)
        for name in names {
            let cover = try #require(BuiltInLibrary.cover(named: name))
            #expect(try cover.bytes == bytes("Covers/\(name)"), "\(name)")
        }
        #expect(BuiltInLibrary.cover(named: "none.png") == nil)
    }

    @Test("Other keys of the catalog give the app another digest, as another file does")
    func keys() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "({ Author = A; Books = ({ Title = One; Alt = Eins; }); })", to: "Books.plist")
        func digest(_ keys: CatalogKeys) throws -> UInt64 {
            var files = AppFiles(catalog: path)
            files.catalogKeys = keys
            return try files.load().app.digest
        }
        let usual = try AppFiles(catalog: path).load().app.digest
        #expect(try digest(#require(CatalogKeys("title=Title"))) == usual)
        #expect(try digest(#require(CatalogKeys("title=Alt"))) != usual)
    }

    @Test("A covers folder that is named replaces the covers of the built-in catalog")
    func coversFolder() throws {
        let folder = try TemporaryFolder()
        try folder.write("image", to: "emma.png")
        let catalog = try AppFiles(covers: folder.path).load().catalog
        let covers = try #require(catalog).authors.flatMap(\.books).compactMap(\.cover)
        #expect(covers.map(\.fileName) == ["emma.png"])
        guard case .file = covers.first?.source else {
            Issue.record("the cover is not a file")
            return
        }
    }

    private func bytes(_ file: String) throws -> [UInt8] {
        try Array(Data(contentsOf: Self.folder.appending(path: file)))
    }
}
