import Foundation
import TestSupport
import Testing

@testable import AppDefinition

@Suite("Reading a catalog")
struct CatalogTests {
    @Test(
        "Authors and books keep the order of the XML or binary file",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func library(format: PropertyListSerialization.PropertyListFormat) throws {
        let folder = try TemporaryFolder()
        let path = try LibraryFixture.write(to: folder, format: format)
        let reading = try Catalog.read(fromFile: path)
        let catalog = reading.value
        #expect(catalog.authors.map(\.name) == LibraryFixture.booksPerAuthor.map(\.0))
        #expect(catalog.authors.map(\.books.count) == [5, 4, 7, 10])
        #expect(
            catalog.authors.map(\.id) == [
                "j-r-r-tolkien", "charlotte-bronte", "jane-austen", "lev-tolstoj",
            ])
        let book = try #require(catalog.author(withID: "jane-austen")?.book(withID: "book-2"))
        #expect(book.title == "Book 2")
        #expect(book.attributes == [Attribute(key: "Year", value: .integer(1951))])
        #expect(book.cover?.fileName == "2-1.jpeg")
        #expect(book.cover?.mediaType == .jpeg)
        #expect(catalog.author(withID: "nobody") == nil)
        #expect(catalog.authors[0].book(withID: "book-6") == nil)
    }

    @Test("A missing cover is a warning, and the book has no cover")
    func missingCovers() throws {
        let folder = try TemporaryFolder()
        let reading = try Catalog.read(fromFile: LibraryFixture.write(to: folder))
        #expect(
            reading.warnings.map(\.description)
                == (0..<4).map {
                    "Books.plist: [\($0)].Books[2].Cover: no file \($0)-2.png in the covers folder"
                })
        let covers = reading.value.authors.flatMap(\.books).compactMap(\.cover)
        #expect(covers.count == 22)
        for cover in covers {
            guard case .file(let path) = cover.source else {
                Issue.record("\(cover.fileName) is not a file")
                continue
            }
            #expect(FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("A catalog is read from an OpenStep file, with numbers as strings")
    func openStep() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            #"({ Author = "Emily Bront\U00eb"; Born = 1818; Books = ("#
                + #"{ Title = "Wuthering Heights"; Cover = "a.png"; Year = 1847; Tags = (a, b); },"#
                + #"); })"#, to: "Books.plist")
        let author = try #require(try Catalog.read(fromFile: path).value.authors.first)
        #expect(author.id == "emily-bronte")
        #expect(author.attributes == [Attribute(key: "Born", value: .string("1818"))])
        #expect(
            author.books.first?.attributes == [
                Attribute(key: "Tags", value: .array([.string("a"), .string("b")])),
                Attribute(key: "Year", value: .string("1847")),
            ])
    }

    @Test("Covers are read from the covers folder that is given instead of the catalog's folder")
    func coversFolder() throws {
        let folder = try TemporaryFolder()
        let covers = try TemporaryFolder()
        let path = try LibraryFixture.write(to: folder)
        try covers.write("image", to: "0-0.jpg")
        let reading = try Catalog.read(fromFile: path, coversFolder: covers.path)
        #expect(reading.value.authors.flatMap(\.books).compactMap(\.cover).count == 1)
        let error = #expect(throws: UnusableFile.self) {
            try Catalog.read(fromFile: path, coversFolder: "/nowhere/covers")
        }
        #expect(
            error?.description
                == "Books.plist: there is no covers folder /nowhere/covers; name one that exists")
    }

    @Test("Authors and books with equal names, or names without letters, have different ids")
    func equalNames() throws {
        let folder = try TemporaryFolder()
        let book = "{ Title = \"…\"; Cover = a; }"
        let path = try folder.write(
            "({ Author = A; Books = (\(book), \(book)); }, { Author = A; Books = (); },"
                + " { Author = \"🙂\"; Books = (\(book)); })", to: "Books.plist")
        let catalog = try Catalog.read(fromFile: path).value
        #expect(catalog.authors.map(\.id) == ["a", "a-2", "author"])
        #expect(catalog.authors[0].books.map(\.id) == ["book", "book-2"])
        #expect(catalog.authors[2].books.map(\.id) == ["book"])
        #expect(catalog.author(withID: "a-2")?.books.isEmpty == true)
    }

    @Test("A catalog without authors is read with a warning")
    func empty() throws {
        let folder = try TemporaryFolder()
        let reading = try Catalog.read(fromFile: folder.write("()", to: "Books.plist"))
        #expect(reading.value.authors.isEmpty)
        #expect(reading.warnings.map(\.description) == ["Books.plist: the catalog has no authors"])
    }

    // The limit is exceeded by work for each pair of books that takes half a microsecond.
    @Test(
        "A catalog with 40,000 books, of one author or of many, is read", .timeLimit(.minutes(2)))
    func manyBooks() throws {
        let folder = try TemporaryFolder()
        try folder.write("image", to: "a.png")
        func books(_ count: Int) -> [[String: Any]] {
            (0..<count).map { ["Title": "Title \($0 / 2)", "Cover": "a.png", "Year": 1900] }
        }
        let entries: [[String: Any]] =
            [["Author": "One", "Books": books(20_000)]]
            + (0..<2_000).map { ["Author": "Author \($0)", "Books": books(10)] }
        let data = try PropertyListSerialization.data(
            fromPropertyList: entries, format: .binary, options: 0)
        let catalog = try Catalog.read(fromFile: folder.write(data, to: "Books.plist")).value
        #expect(catalog.authors.count == 2_001)
        #expect(catalog.authors[0].book(withID: "title-9999-2") != nil)
    }
}
