import AppLoading
import Foundation
import NavigationRules
import TestSupport
import Testing
import WaypostCore

@testable import AppDefinition

/// Tests of storyboards with data of their own.
@Suite struct DataStoryboardFileTests: StoryboardFileSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let shopStoryboard = """
        { "name": "Shop", "initialScene": "shelves",
          "data": { "file": "Shop.plist", "images": "Photos",
                    "levels": [
                      { "rows": "shelves", "each": "shelf", "title": "Name", "children": "Things" },
                      { "rows": "things", "each": "thing", "title": "Name", "subtitle": "Price",
                        "image": "photo", "imageKey": "Photo" } ] },
          "scenes": {
            "shelves": { "kind": "table", "rows": "shelves", "select": "shelf" },
            "shelf": { "kind": "table", "rows": "shelf.things", "select": "thing",
                       "parameters": ["shelf"] },
            "thing": { "kind": "image", "image": "thing.photo", "parameters": ["shelf", "thing"] } } }
        """

    @Test("A storyboard with a data section lists the records of its property list") func data()
        throws
    {
        try folder.write("an image", to: "Photos/cup.png")
        try folder.write(
            """
            ({ Name = Top; Things = (
               { Name = Cup; Price = "3 €"; Photo = "cup.png"; }, { Name = Cup; Photo = "jug.png"; }); },
             { Name = Bottom; Things = (); })
            """, to: "Shop.plist")
        let reading = try read(Self.shopStoryboard)
        let source = reading.value.dataSource
        #expect(source.row(0, of: "shelves", .none)?.subtitle == "2 things")
        let top = Parameters(names: ["shelf"], values: ["top"])
        #expect(source.row(0, of: "shelf.things", top)?.subtitle == "3 €")
        #expect(source.row(1, of: "shelf.things", top)?.parameters["thing"] == "cup-2")
        let cup = Parameters(names: ["shelf", "thing"], values: ["top", "cup"])
        #expect(source.image("thing.photo", cup)?.components == ["images", "cup.png"])
        #expect(reading.value.images.keys.sorted() == ["cup.png"])
        #expect(
            reading.warnings.map(\.description)
                == [
                    "Shop.plist: [0].Things[1].Photo: no file jug.png in the images folder",
                    "Shop.plist: 1 thing whose title gives the id of an earlier one in the same list: the "
                        + "ids depend on the order; name a key of ids with \"id\"",
                ])
    }

    @Test("Defects of a storyboard's data are reported together with those of the storyboard")
    func dataDefects() throws {
        try folder.write("", to: "Photos/x.png")
        try folder.write(
            #"({ Things = ({ Name = ""; Photo = "../x.png"; }); }, { Name = B; Things = 1; })"#,
            to: "Shop.plist")
        let found = defects(
            Self.shopStoryboard.replacing(#""select": "thing""#, with: #""select": "no""#))
        #expect(
            found.map { $0.split(separator: ": ").prefix(2).joined(separator: ": ") } == [
                "App.json: scenes.shelf.select", "Shop.plist: [0].Name",
                "Shop.plist: [0].Things[0].Name", "Shop.plist: [0].Things[0].Photo",
                "Shop.plist: [1].Things",
            ])
    }

    @Test("An entry that is no record, and an image without a folder of images, are defects")
    func noRecord() throws {
        try folder.write(
            "(A, { Name = B; Things = ({ Name = C; Photo = c.png; }); })", to: "Shop.plist")
        let found = defects(Self.shopStoryboard.replacing(#""images": "Photos","#, with: ""))
        #expect(
            found == [
                "Shop.plist: [0]: expected a shelf (a dictionary), found a string",
                "Shop.plist: [1].Things[0].Photo: the storyboard's data names no folder of images",
            ])
        let lost = defects(
            Self.shopStoryboard.replacing(#""images": "Photos""#, with: #""images": "None""#))
        #expect(lost.count == 2 && lost[0].contains("data.images: there is no images folder"))
    }

    @Test(
        "A defect in a storyboard's data section is reported with its key path or file",
        arguments: [
            (
                #""file": "Shop.plist""#, #""file": "None.plist""#,
                "/None.plist: the file cannot be opened"
            ),
            (
                #""images": "Photos""#, #""images": "None""#,
                "App.json: data.images: there is no images folder"
            ),
            (
                #""each": "thing""#, #""each": "shelf""#,
                "App.json: data.levels: two levels share a name"
            ),
            (
                #""children": "Things""#, #""subtitle": "x""#,
                "App.json: data.levels[0].children: missing"
            ),
            (
                #""imageKey": "Photo""#, #""children": "x""#,
                "App.json: data.levels[1].children: the last"
            ),
            (
                #""rows": "things""#, #""row": "things""#,
                "App.json: data.levels[1].row: unknown key"
            ),
            (
                #""rows": "things""#, #""row": "things""#,
                "App.json: scenes.shelf.rows: no rows are named shelf.things: the data has none"
            ),
        ])
    func badData(_ part: String, _ replacement: String, _ start: String) throws {
        try folder.write("()", to: "Shop.plist")
        try folder.write("", to: "Photos/x.png")
        let found = defects(
            Self.shopStoryboard.replacing(part, with: replacement, maxReplacements: 1))
        #expect(found.contains { $0.contains(start) }, "\(found)")
    }

    @Test("An app with data of its own has no catalog, and a catalog that is named is a warning")
    func noCatalog() throws {
        try folder.write("", to: "Photos/x.png")
        try folder.write(
            "({ Name = Top; Things = ({ Name = Cup; Price = 3; }); })", to: "Shop.plist")
        let catalog = try folder.write("()", to: "Books.plist")
        let path = try folder.write(Self.shopStoryboard, to: "App.json")
        let data = try AppFiles(storyboard: path).load()
        #expect(data.catalog == nil && data.warnings.isEmpty)
        #expect(data.summary == "1 shelf, 1 thing")
        let named = try AppFiles(catalog: catalog, storyboard: path).load()
        #expect(named.catalog == nil)
        #expect(
            named.warnings.map(\.description) == [
                "Books.plist: the catalog has no authors",
                "Books.plist: the catalog is not used, because the storyboard has its own data",
            ])
        #expect(try AppFiles().load().summary == "15 authors, 65 books")
    }

    @Test(
        "An example loads without defects and warnings",
        arguments: [
            ("RecipeBox", "Recipe Box"), ("Bookshop", "Bookshop"), ("Podcasts", "Podcasts"),
        ])
    func example(_ folder: String, _ name: String) throws {
        let examples = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Examples")
        let file = examples.appendingPathComponent("\(folder)/\(folder).json")
        let data = try AppFiles(storyboard: file.path).load()
        #expect(data.app.storyboard.name == name)
        #expect(data.warnings.isEmpty)
    }
}
