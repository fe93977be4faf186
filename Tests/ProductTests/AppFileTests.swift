import Foundation
import Testing

@testable import Navigation

/// Tests of an app that is read from a file, with the parser of Foundation.
@Suite struct AppFileTests {
    private static let checkout = URL(filePath: #filePath).appending(path: "../../..")
        .standardizedFileURL
    private static let library = checkout.appending(path: "Examples/Patterns/Library.json")

    @Test("An app is read from its file, with the data beside it") func file() throws {
        let file = Self.checkout.appending(path: "Examples/Podcasts/Podcasts.json")
        let app = try App(contentsOf: file)
        #expect(app.warnings == [])
        #expect(app.scenes == app.scenes.sorted())
        #expect(app.scenes.contains("episode"))
        // These are the shows of `shows.json`.
        let rows: ExpectedValue = ["Deep Space", "Slow Food", "Small Machines"]
        #expect(try app.launch().differences(from: ["rows": rows]) == [])
    }

    @Test("An app without data of its own shows the books of the catalog that is named")
    func catalog() throws {
        let app = try withCatalog { try App(contentsOf: Self.library, catalog: $0) }
        #expect(app.scenes == ["Authors", "Book Cover", "Books"])
        #expect(try app.launch().differences(from: ["rows": ["Ada"]]) == [])
        let missing = Self.checkout.appending(path: "None.plist")
        let error = #expect(throws: StoryboardError.self) {
            try App(contentsOf: Self.library, catalog: missing)
        }
        #expect(
            error?.description
                == "\(missing.path): the file cannot be opened: No such file or directory")
    }

    @Test("An app has the warnings about its catalog") func warnings() throws {
        try withCatalog { catalog in
            let app = try App(contentsOf: Self.library, catalog: catalog)
            let name = catalog.lastPathComponent
            #expect(
                app.warnings == ["\(name): [0].Books[0].Cover: missing; the book has no cover"])
        }
    }

    /// Writes a catalog of one author, Ada, with one book, which has no cover, and removes it after
    /// `body`.
    private func withCatalog<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let catalog = FileManager.default.temporaryDirectory.appending(
            path: "waypost-tests-\(UUID()).plist")
        let authors = "( { Author = Ada; Books = ( { Title = Notes; } ); } )"
        try Data(authors.utf8).write(to: catalog)
        defer { try? FileManager.default.removeItem(at: catalog) }
        return try body(catalog)
    }

    @Test(
        "A value that is not valid or has the wrong type is a defect that says so",
        arguments: [
            ("null", "expected a string, found null"),
            ("1.5", "expected a string, found a real number"),
            (#""\q""#, "not valid JSON: The given data"),
            (#"["\ud800"]"#, "not valid JSON: The given data"),
            ("1e999", "not valid JSON: The given data"),
            (
                String(repeating: "[", count: 70) + String(repeating: "]", count: 70),
                "arrays and dictionaries nest deeper than 64 levels"
            ),
        ])
    func wrongTypes(_ name: String, _ reason: String) throws {
        let storyboard = """
            { "name": \(name), "initialScene": "home", "scenes": { "home": { "kind": "blank" } } }
            """
        let error = #expect(throws: StoryboardError.self) { try App(Data(storyboard.utf8)) }
        #expect(error?.defects.count == 1)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
}
