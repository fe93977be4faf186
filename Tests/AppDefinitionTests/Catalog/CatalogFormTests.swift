import TestSupport
import Testing

@testable import AppDefinition

/// Tests of catalogs in other forms than an array of authors with their books.
@Suite struct CatalogFormTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ text: String, keys: String = "author=Author") throws -> Decoded<Catalog> {
        let path = try folder.write(text, to: "Books.plist")
        let keys = try #require(CatalogKeys(keys))
        return try Catalog.read(fromFile: path, keys: keys)
    }

    /// The authors with their books: `a: One, Two`.
    private func lines(_ catalog: Catalog) -> [String] {
        catalog.authors.map { author in
            "\(author.id): \(author.books.map(\.id).joined(separator: ", "))"
        }
    }

    @Test("A list of books is grouped by author, in the order of the first book of each")
    func flat() throws {
        try folder.write("an image", to: "x.png")
        let catalog = try read(
            """
            ({ Author = Verne; Title = Nautilus; Year = 1870; Cover = x; },
             { Author = Austen; Title = Emma; Cover = x; },
             { Author = Verne; Title = Moon; Cover = x; }, { Author = Verne; Title = Moon; Cover = x; })
            """)
        #expect(lines(catalog.value) == ["verne: nautilus, moon, moon-2", "austen: emma"])
        let nautilus = catalog.value.authors[0].books[0]
        #expect(nautilus.attributes.map(\.key) == ["Year"] && nautilus.cover?.fileName == "x.png")
        #expect(catalog.warnings.isEmpty)
    }

    @Test("A list of books with other keys is read with a mapping of the keys")
    func flatWithOtherKeys() throws {
        let catalog = try read(
            """
            ({ authorOfBook = Verne; titleOfBook = Nautilus; bookImage = "none.png"; },
             { authorOfBook = Austen; titleOfBook = Emma; bookImage = "none.png"; })
            """, keys: "title=titleOfBook,author=authorOfBook,cover=bookImage")
        #expect(lines(catalog.value) == ["verne: nautilus", "austen: emma"])
        #expect(catalog.warnings.map(\.keyPath) == ["[0].bookImage", "[1].bookImage"])
    }

    @Test("A list of books whose keys are not mapped is refused with the keys of a book")
    func flatUnmapped() throws {
        let error = #expect(throws: UnusableFile.self) {
            try read("({ authorOfBook = Verne; titleOfBook = Nautilus; })")
        }
        #expect(
            error?.warnings.map(\.reason) == [
                "expected the keys Author, Title, found authorOfBook, titleOfBook; map them with "
                    + "--catalog-keys"
            ])
        let withTitle = #expect(throws: UnusableFile.self) {
            try read("({ writer = Verne; Title = Nautilus; })")
        }
        #expect(
            withTitle?.defects.map(\.description) == [
                "Books.plist: [0].Author: missing; expected a string"
            ])
        #expect(
            withTitle?.warnings.first?.reason
                == "expected the keys Author, found Title, writer; map them with --catalog-keys")
    }

    @Test(
        "A dictionary of shelves is sorted by key; the key is the author of a book that names none",
        arguments: [
            (
                "{ Verne = ({ Title = Moon; }); Austen = ({ Title = Emma; }, { Title = Emma; }); }",
                ["austen: emma, emma-2", "verne: moon"]
            ),
            (
                """
                { Novels = ({ Author = Austen; Title = Emma; });
                  Adventure = ({ Author = Verne; Title = Moon; }, { Author = Austen; Title = Lady; }); }
                """, ["verne: moon", "austen: lady, emma"]
            ),
            (
                "{ Verne = { Born = 1828; Books = ({ Title = Moon; }); }; Austen = (); }",
                ["austen: ", "verne: moon"]
            ),
            (
                "{ Authors = ({ Author = Verne; Books = ({ Title = Moon; }); }); }",
                ["verne: moon"]
            ),
            ("{ Books = ({ Author = Verne; Title = Moon; }); }", ["verne: moon"]),
        ])
    func shelves(_ text: String, _ expected: [String]) throws {
        #expect(lines(try read(text).value) == expected)
    }

    @Test("The other members of a shelf that is an author are the author's attributes")
    func attributesOfShelf() throws {
        let catalog = try read("{ Verne = { Born = 1828; Books = ({ Title = Moon; }); }; }").value
        #expect(catalog.authors[0].attributes == [.init(key: "Born", value: .string("1828"))])
    }

    @Test("An author on several shelves has the attributes of all; of two values, the first")
    func attributesOnShelves() throws {
        let catalog = try read(
            """
            { Adventure = ({ Author = Verne; Born = 1828; Books = (); });
              Novels = ({ Author = Verne; At = Nantes; Born = 1828; Books = (); });
              Voyages = ({ Author = Verne; At = Paris; Died = 1905; Books = (); }); }
            """)
        #expect(
            catalog.value.authors.map(\.attributes) == [
                [
                    .init(key: "At", value: .string("Nantes")),
                    .init(key: "Born", value: .string("1828")),
                    .init(key: "Died", value: .string("1905")),
                ]
            ])
        #expect(
            catalog.warnings.map(\.description) == [
                "Books.plist: several entries of the author Verne differ in At: the first one counts"
            ])
    }

    @Test(
        "A list of books whose author has the key of the title or the cover is refused",
        arguments: [
            ("author=name,title=name", "({ name = Verne; })"),
            ("author=name,cover=name", "({ name = Verne; Title = Moon; })"),
            ("author=name,title=name", "{ Verne = ({ name = Moon; }); }"),
        ])
    func sharedKey(keys: String, text: String) {
        let error = #expect(throws: UnusableFile.self) { try read(text, keys: keys) }
        #expect(
            error?.defects.map(\.reason) == [
                "the author of a book has the key name, which is also that of its title or cover; "
                    + "map them to different keys with --catalog-keys"
            ])
    }

    @Test("An author and the books in its list can have the same key for their names")
    func sharedKeyOfAuthor() throws {
        let catalog = try read(
            "({ name = Verne; Books = ({ name = Moon; }); })", keys: "author=name,title=name")
        #expect(lines(catalog.value) == ["verne: moon"])
    }

    @Test("A shelf that is no array of books is a defect with its key")
    func notAShelf() throws {
        let error = #expect(throws: UnusableFile.self) {
            try read("{ Version = 2; Verne = ({ Title = Moon; }, 7); }")
        }
        #expect(
            error?.defects.map(\.description) == [
                "Books.plist: Verne[1]: expected a dictionary with Title, found a string",
                "Books.plist: Version: expected an array of books, found a string",
            ])
    }
}
