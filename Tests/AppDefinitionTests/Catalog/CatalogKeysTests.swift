import Testing

@testable import AppDefinition

@Suite struct CatalogKeysTests {
    private static let books = PropertyList.array([
        .dictionary([
            "writer": .string("Ada"),
            "works": .array([.dictionary(["titleOfBook": .string("Notes")])]),
        ])
    ])

    @Test("A catalog with other keys is read with a mapping of the keys") func mapped() throws {
        let keys = try #require(CatalogKeys("author=writer,books=works,title=titleOfBook"))
        let covers = try #require(ImageFolder(path: "/", kind: "covers"))
        let catalog = try Decoded(Self.books, Diagnostics(file: "Books.plist")) {
            CatalogDecoder(covers: covers, keys: keys).catalog(from: $0)
        }
        #expect(catalog.value.authors.map(\.name) == ["Ada"])
        #expect(catalog.value.authors[0].books.map(\.title) == ["Notes"])
    }

    @Test("A catalog with other keys is refused, with the keys that were expected and found")
    func unmapped() throws {
        let error = #expect(throws: UnusableFile.self) {
            _ = try Decoded(Self.books, Diagnostics(file: "Books.plist")) {
                Catalog.decode($0, coversFolder: "/")
            }
        }
        #expect(
            error?.warnings.first?.reason
                == "expected the keys Author, Books, found works, writer; map them with --catalog-keys"
        )
    }

    @Test(
        "A mapping with an unknown name, without a key, or with one key twice is refused",
        arguments: ["", "title", "title=", "name=x", "title=x,cover=x", "title=x,,cover=y"])
    func invalid(mapping: String) {
        #expect(CatalogKeys(mapping) == nil)
    }
}
