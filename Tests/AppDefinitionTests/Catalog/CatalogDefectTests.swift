import Foundation
import TestSupport
import Testing

@testable import AppDefinition

@Suite("Defects of a catalog")
struct CatalogDefectTests {
    private func defects(in text: String) throws -> [String] {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "Books.plist")
        let error = try #require(throws: UnusableFile.self) { try Catalog.read(fromFile: path) }
        return error.defects.map { String($0.description.dropFirst("Books.plist: ".count)) }
    }

    @Test(
        "A catalog whose top level is not an array of dictionaries has a defect",
        arguments: [
            (xml("<dict/>"), "expected an array of authors, found a dictionary"),
            (xml("<integer>1</integer>"), "expected an array of authors, found an integer"),
            ("hello", "expected an array of authors, found a string"),
            ("[]", "the file is JSON; expected a property list (XML, binary, OpenStep)"),
        ])
    func topLevel(text: String, expected: String) throws {
        #expect(try defects(in: text) == [expected])
    }

    @Test("All defects of a catalog are reported at once, each with its key path")
    func all() throws {
        let text = xml(
            """
            <array>
                <string>Tolkien</string>
                <dict><key>Author</key><integer>7</integer></dict>
                <dict><key>Books</key><dict/></dict>
                <dict><key>Author</key><string> \n</string><key>Books</key><array>
                    <array/>
                    <dict><key>Title</key><true/></dict>
                    <dict><key>Cover</key><real>1</real><key>Title</key><string/></dict>
                </array></dict>
            </array>
            """)
        #expect(
            try defects(in: text) == [
                "[0]: expected a dictionary with Author and Books, found a string",
                "[1].Author: expected a string, found an integer",
                "[1].Books: missing; expected an array of books",
                "[2].Author: missing; expected a string",
                "[2].Books: expected an array of books, found a dictionary",
                "[3].Author: empty; expected a text to show",
                "[3].Books[0]: expected a dictionary with Title, found an array",
                "[3].Books[1].Title: expected a string, found a boolean",
                "[3].Books[2].Title: empty; expected a text to show",
                "[3].Books[2].Cover: expected a string, found a real number",
            ])
    }

    @Test("Warnings of a catalog are reported together with its defects")
    func warningsToo() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "({ Author = A; Books = ({ Title = B; Cover = none.png; }, 1); })", to: "Books.plist")
        let error = try #require(throws: UnusableFile.self) { try Catalog.read(fromFile: path) }
        #expect(error.defects.map(\.keyPath) == ["[0].Books[1]"])
        #expect(error.warnings.map(\.keyPath) == ["[0].Books[0].Cover"])
    }

    @Test("A catalog without authors is a warning")
    func noAuthors() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("()", to: "Books.plist")
        #expect(
            try Catalog.read(fromFile: path).warnings.map(\.description)
                == ["Books.plist: the catalog has no authors"])
    }

    @Test("A book without the key Cover is a warning and has no cover")
    func noCover() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "({ Author = A; Books = ({ Title = B; }); })", to: "Books.plist")
        let catalog = try Catalog.read(fromFile: path)
        #expect(
            catalog.warnings.map(\.description)
                == ["Books.plist: [0].Books[0].Cover: missing; the book has no cover"])
        let book = try #require(catalog.value.authors.first?.books.first)
        #expect(book.title == "B" && book.cover == nil && book.attributes.isEmpty)
    }

    @Test("A catalog file that does not exist is a defect")
    func noFile() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: UnusableFile.self) {
            try Catalog.read(fromFile: folder.path + "/Books.plist")
        }
        #expect(
            error?.description
                == "\(folder.path)/Books.plist: the file cannot be opened: No such file or directory"
        )
    }

    @Test("A title, name or cover path of more than 10,000 bytes is a defect of a catalog")
    func longTexts() throws {
        func text(_ author: String, _ title: String, _ cover: String) -> String {
            xml(
                """
                <array><dict><key>Author</key><string>\(author)</string><key>Books</key><array>
                <dict><key>Title</key><string>\(title)</string>
                <key>Cover</key><string>\(cover)</string></dict></array></dict></array>
                """)
        }
        // The letter takes two bytes in UTF-8.
        let (fits, long) = (
            String(repeating: "й", count: 5000), String(repeating: "й", count: 5001)
        )
        let longer = String(repeating: "й", count: 3_000_000)
        #expect(
            try defects(in: text(long, longer, long)) == [
                "[0].Author: expected 10000 bytes at most, found 10002",
                "[0].Books[0].Title: expected 10000 bytes at most, found 6000000",
                "[0].Books[0].Cover: expected 10000 bytes at most, found 10002",
            ])
        let folder = try TemporaryFolder()
        let path = try folder.write(text(fits, fits, "none.png"), to: "Books.plist")
        #expect(try Catalog.read(fromFile: path).value.authors[0].books[0].title == fits)
    }

    @Test("A date that RFC 3339 cannot represent is a defect at any depth of an attribute")
    func dates() throws {
        func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
        let book: [String: Any] = [
            "Title": "B", "Cover": "b.png", "First": date(-62_135_596_800),
            "Last": date(253_402_300_799), "Early": date(-62_135_596_801),
            "Others": ["Late": [date(0), date(253_402_300_800)]],
        ]
        let catalog: [[String: Any]] = [
            ["Author": "A", "Books": [book], "Died": date(1e15)]
        ]
        let folder = try TemporaryFolder()
        let path = folder.path + "/Books.plist"
        try PropertyListSerialization.data(
            fromPropertyList: catalog, format: .binary, options: 0
        ).write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: UnusableFile.self) { try Catalog.read(fromFile: path) }
        #expect(
            error.defects.map(\.keyPath) == [
                "[0].Books[0].Early", "[0].Books[0].Others.Late[1]", "[0].Died",
            ])
        #expect(
            error.defects.allSatisfy { $0.reason == "expected a date of the years 1 to 9999" })
    }
}
