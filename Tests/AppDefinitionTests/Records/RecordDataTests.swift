import AppLoading
import NavigationRules
import TestSupport
import Testing

@testable import AppDefinition

/// Tests of the data that a storyboard brings along: hierarchies, ids, values and missing parts.
@Suite struct RecordDataTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let products = """
        { "file": "Shop.json", "key": "products", "levels": [
            { "rows": "products", "each": "product", "id": "sku", "title": "name", "subtitle": "price",
              "children": "reviews" },
            { "rows": "reviews", "each": "review", "title": "text" } ] }
        """
    private static let orders = """
        { "file": "Shop.json", "key": "orders", "levels": [
            { "rows": "orders", "each": "order", "id": "number", "title": "date" } ] }
        """

    private func load(_ hierarchies: [String], _ scenes: String = "") throws -> LoadedApp {
        let data =
            hierarchies.count == 1 ? hierarchies[0] : "[\(hierarchies.joined(separator: ", "))]"
        let path = try folder.write(
            """
            { "name": "Shop", "initialScene": "home", "data": \(data),
              "scenes": { "home": { "kind": "blank" }\(scenes) } }
            """, to: "App.json")
        return try AppFiles(storyboard: path).load()
    }

    private func defects(_ hierarchies: [String], _ scenes: String = "") -> [String] {
        do {
            _ = try load(hierarchies, scenes)
            return []
        } catch {
            return (error as? UnusableFile)?.defects.map(\.description) ?? ["\(error)"]
        }
    }

    @Test("The last level of a hierarchy has no children, whether or not its data can be read")
    func lastLevel() throws {
        let orders = Self.orders.replacing(
            #""title": "date""#, with: #""title": "date", "children": "lines""#)
        let found = defects([orders])
        #expect(
            found.first?.hasSuffix(
                "data.levels[0].children: the last level has no children: add a level for them")
                == true, "\(found)")
        try folder.write(
            #"{ "orders": [{ "number": 1, "date": "May", "lines": [{ "date": "June" }] }] }"#,
            to: "Shop.json")
        #expect(defects([orders]) == [found.first])
    }

    @Test("An app has several hierarchies of data, also in one file of JSON")
    func hierarchies() throws {
        try folder.write(
            """
            { "products": [ { "sku": "C-1", "name": "Guji", "price": 9.5,
                              "reviews": [ { "text": "Good" } ] } ],
              "orders": [ { "number": 1001, "date": "May" }, { "number": 1002, "date": "May" } ] }
            """, to: "Shop.json")
        let data = try load(
            [Self.products, Self.orders],
            """
            , "products": { "kind": "table", "rows": "products", "select": "product" },
            "product": { "kind": "table", "rows": "product.reviews", "title": "{product}",
                         "parameters": ["product"], "path": "/products/{product}" },
            "orders": { "kind": "table", "rows": "orders", "select": "order" },
            "order": { "kind": "blank", "title": "{order}", "parameters": ["order"] }
            """)
        let source = data.app.dataSource
        #expect(data.summary == "1 product, 1 review; 2 orders")
        #expect(
            source.row(0, of: "products", .none)
                == Row(title: "Guji", subtitle: "9.5", parameters: ["product": "C-1"]))
        #expect(source.row(0, of: "product.reviews", ["product": "C-1"])?.title == "Good")
        #expect(source.row(0, of: "reviews", .none)?.subtitle == "Guji")
        #expect(
            source.row(1, of: "orders", .none)
                == Row(title: "May", subtitle: nil, parameters: ["order": "1002"]))
        #expect(source.displayName(of: "order", in: ["order": "1001"]) == "May")
        #expect(source.displayName(of: "product", in: ["order": "1001"]) == nil)
        #expect(!data.warnings.contains { $0.file == "Shop.json" })
    }

    @Test("A title, a subtitle and an id can be a string, a number, a boolean or a date")
    func scalars() throws {
        let level = """
            { "file": "Data.plist", "levels": [
                { "rows": "items", "each": "item", "id": "id", "title": "title", "subtitle": "subtitle" } ] }
            """
        try folder.write(
            xml(
                """
                <array>
                <dict><key>id</key><integer>7</integer><key>title</key><real>9.5</real>
                <key>subtitle</key><true/></dict>
                <dict><key>id</key><real>1.5</real><key>title</key><date>2026-03-01T12:00:00Z</date>
                <key>subtitle</key><integer>-3</integer></dict>
                <dict><key>id</key><date>1500-01-01T00:00:00Z</date>
                <key>title</key><date>1500-01-01T12:30:59Z</date>
                <key>subtitle</key><date>0001-01-01T00:00:00Z</date></dict>
                </array>
                """), to: "Data.plist")
        let source = try load([level]).app.dataSource
        let rows = [0, 1, 2].map { source.row($0, of: "items", .none) }
        #expect(
            rows.map { $0?.title } == ["9.5", "2026-03-01T12:00:00Z", "1500-01-01T12:30:59Z"])
        #expect(rows.map { $0?.subtitle } == ["true", "-3", "0001-01-01T00:00:00Z"])
        #expect(rows.map { $0?.parameters["item"] } == ["7", "1.5", "1500-01-01T00:00:00Z"])
    }

    @Test("Values that are no scalars, and ids that no link can contain, are defects")
    func badValues() throws {
        let long = String(repeating: "x", count: 81)
        let ids = ["\"a\"", "\"a\"", "\"\"", "\"..\"", "[1]", "null", "\"\(long)\""]
        let records = ids.map { #"{ "sku": \#($0), "name": {"a": 1} }"# }
        try folder.write(
            #"{ "products": [\#(records.joined(separator: ", "))] }"#, to: "Shop.json")
        let found = defects([Self.products])
        func count(_ key: String, _ reason: String) -> Int {
            found.count { $0.contains(".\(key): expected \(reason)") }
        }
        #expect(count("name", "a string, number, boolean or date, found a dictionary") == 7)
        #expect(count("sku", "an id of 1 to 80 bytes") == 3)
        #expect(count("sku", "a string, number, boolean or date, found") == 2)
    }

    @Test("Records beside each other with the same id are a defect; elsewhere they are none")
    func repeatedIDs() throws {
        let levels = """
            { "file": "Shop.json", "levels": [
                { "rows": "shelves", "each": "shelf", "id": "id", "title": "id", "children": "items" },
                { "rows": "items", "each": "item", "id": "id", "title": "id" } ] }
            """
        try folder.write(
            """
            [{ "id": "a", "items": [{ "id": 1 }, { "id": 2 }] }, { "id": "b", "items": [{ "id": 1 }] }]
            """, to: "Shop.json")
        #expect(defects([levels]).isEmpty)
        try folder.write(
            #"[{ "id": "a", "items": [{ "id": 1 }, { "id": "1" }] }, { "id": "a" }]"#,
            to: "Shop.json")
        let found = defects([levels])
        #expect(found.count == 2)
        #expect(found.contains { $0.contains("[0].items[1].id: two items in the same list") })
        #expect(found.contains { $0.contains("[1].id: two shelves in the same list") })
    }

    @Test("A record without the array of its children has none; if none has it, that is a warning")
    func absentChildren() throws {
        try folder.write(
            """
            { "products": [{ "sku": 1, "name": "A", "price": 1 },
                           { "sku": 2, "name": "B", "reviews": [] }] }
            """, to: "Shop.json")
        let data = try load([Self.products])
        #expect(data.app.dataSource.numberOfRows(in: "product.reviews", ["product": "1"]) == 0)
        #expect(!data.warnings.contains { $0.file == "Shop.json" })
        try folder.write(
            #"{ "products": [{ "sku": 1, "name": "A", "price": 1, "review": [] }] }"#,
            to: "Shop.json")
        #expect(
            try load([Self.products]).warnings.filter { $0.file == "Shop.json" }.map(\.reason)
                == ["none of the products has the key reviews"])
    }

    @Test("A key of subtitles that no record has is a defect that suggests a key")
    func absentSubtitles() throws {
        for (key, end) in [
            ("prices", "did you mean price?"), ("cost", "they have name, price, reviews, sku"),
        ] {
            let products = Self.products.replacing(#""price""#, with: "\"\(key)\"")
            try folder.write(
                #"{ "products": [{ "sku": 1, "name": "A", "price": 1, "reviews": [] }] }"#,
                to: "Shop.json")
            #expect(
                defects([products]) == [
                    "Shop.json:1:15: products: none of the products has the key \(key), which their level names "
                        + "as subtitle; \(end)"
                ])
        }
        // No record at all has no key either.
        try folder.write(#"{ "products": [] }"#, to: "Shop.json")
        #expect(defects([Self.products]) == [])
    }

    @Test("Titles that repeat beside each other are a warning, as their ids depend on the order")
    func repeatedTitles() throws {
        let level = """
            { "file": "Shop.json", "levels": [ { "rows": "items", "each": "item", "title": "name" } ] }
            """
        try folder.write(
            #"[{ "name": "Cup" }, { "name": "Cup" }, { "name": "Cup" }]"#, to: "Shop.json")
        let data = try load([level])
        #expect(data.app.dataSource.row(2, of: "items", .none)?.parameters["item"] == "cup-3")
        #expect(
            data.warnings.filter { $0.file == "Shop.json" }.map(\.reason) == [
                "2 items whose title gives the id of an earlier one in the same list: the ids depend on "
                    + "the order; name a key of ids with \"id\""
            ])
        try folder.write(
            #"[{ "name": "C" }, { "name": "C++" }, { "name": "C#" }, { "name": "D" }]"#,
            to: "Shop.json")
        let languages = try load([level])
        #expect(languages.app.dataSource.row(2, of: "items", .none)?.parameters["item"] == "c-3")
        #expect(
            languages.warnings.contains {
                $0.reason.hasPrefix("2 items whose title gives the id of an earlier one ")
            })
    }

    @Test("Hierarchies that share a name, a dictionary without a key and no hierarchy are defects")
    func badHierarchies() throws {
        try folder.write(#"{ "products": [], "orders": [] }"#, to: "Shop.json")
        #expect(
            defects([Self.products, Self.products]).contains {
                $0.contains("data") && $0.contains("two levels share a name")
            })
        let withoutKey = Self.orders.replacing(#""key": "orders", "#, with: "")
        #expect(
            defects([withoutKey]) == [
                "Shop.json:1:1: expected an array of orders, found a dictionary; name one of its keys "
                    + "with \"key\": orders, products"
            ])
        let otherKey = Self.orders.replacing(#""key": "orders""#, with: #""key": "order""#)
        #expect(defects([otherKey]).contains { $0.contains("order: missing; expected an array") })
        #expect(defects([]).contains { $0.contains("expected one hierarchy at least") })
    }

    @Test("Two folders of images that have files of the same name are a defect")
    func imagesOfTheSameName() throws {
        try folder.write("one", to: "One/a.png")
        try folder.write("two", to: "Two/a.png")
        try folder.write(#"[{ "name": "A", "picture": "a" }]"#, to: "Shop.json")
        let levels = ["One", "Two"].map {
            """
            { "file": "Shop.json", "images": "\($0)", "levels": [
                { "rows": "rows\($0)", "each": "row\($0)", "title": "name", "image": "picture",
                  "imageKey": "picture" } ] }
            """
        }
        #expect(
            defects(levels) == ["Shop.json: two folders of images have a file a.png; rename one"])
        #expect(try load([levels[0]]).images.keys.sorted() == ["a.png"])
    }

    @Test(
        "A file whose name ends in .json is read as JSON, whatever it starts with",
        arguments: ["{", "{ // a comment\n \"a\": 1 }", "name: Shop"])
    func namedJSON(_ text: String) throws {
        try folder.write(text, to: "Shop.json")
        let found = defects([Self.products])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("Shop.json: not valid JSON: line 1") == true, "\(found)")
    }
}
