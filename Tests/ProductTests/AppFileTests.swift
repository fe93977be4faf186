import Foundation
import Testing

@testable import Navigation

/// Tests of an app that is read from a file, with the parser of Foundation.
@Suite struct AppFileTests {
    private static let checkout = URL(filePath: #filePath).appending(path: "../../..")
        .standardizedFileURL

    @Test("An app is read from its file, with the data beside it") func file() throws {
        let file = Self.checkout.appending(path: "Examples/Podcasts/Podcasts.json")
        let app = try App(contentsOf: file)
        #expect(app.warnings == [])
        #expect(app.scenes == app.scenes.sorted() && app.scenes.contains("episode"))
    }

    @Test("An app without data of its own shows the books of the catalog that is named")
    func catalog() throws {
        let patterns = Self.checkout.appending(path: "Examples/Patterns/Library.json")
        let catalog = Self.checkout.appending(
            path: "Sources/Tools/AppLoading/Resources/Books.plist")
        let app = try App(contentsOf: patterns, catalog: catalog)
        #expect(app.scenes == ["Authors", "Book Cover", "Books"])
        let missing = Self.checkout.appending(path: "None.plist")
        let error = #expect(throws: StoryboardError.self) {
            try App(contentsOf: patterns, catalog: missing)
        }
        #expect(
            error?.description
                == "None.plist: the file cannot be opened: No such file or directory")
    }

    @Test("An app has the warnings about its catalog") func warnings() throws {
        let catalog = FileManager.default.temporaryDirectory.appending(
            path: "waypost-tests-\(UUID()).plist")
        let authors = "( { Author = Ada; Books = ( { Title = Notes; } ); } )"
        try Data(authors.utf8).write(to: catalog)
        defer { try? FileManager.default.removeItem(at: catalog) }
        let patterns = Self.checkout.appending(path: "Examples/Patterns/Library.json")
        let app = try App(contentsOf: patterns, catalog: catalog)
        #expect(
            app.warnings == [
                catalog.lastPathComponent + ": [0].Books[0].Cover: missing; the book has no cover"
            ])
    }

    @Test(
        "A value of the wrong type is a defect that names the type",
        arguments: [
            ("null", "expected a string, found null"),
            ("1.5", "expected a string, found a real number"),
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

    @Test("An expectation of nil is met by a text that is missing") func expectedNil() throws {
        let storyboard = """
            { "name": "App", "initialScene": "home", "scenes": {
                "home": { "kind": "blank" }, "next": { "kind": "blank" } } }
            """
        var window = try App(Data(storyboard.utf8)).launch()
        #expect(window.differences(from: ["title": nil, "back": nil]) == [])
        try window.push("next")
        #expect(window.differences(from: ["link": nil]) == [])
    }
}
