import NavigationRules
import Testing

@testable import AppDefinition

/// Tests of a data source with three levels of records.
@Suite struct RecordSourceTests {
    private let source = RecordSource(
        levels: [
            RecordLevel(rows: "courses", each: "course", image: nil),
            RecordLevel(rows: "recipes", each: "recipe", image: "photo"),
            RecordLevel(rows: "steps", each: "step", image: nil),
        ],
        records: [
            Record(
                id: "soups", title: "Soups", subtitle: "warm",
                children: [
                    Record(
                        id: "leek", title: "Leek Soup",
                        image: ImageReference(
                            components: ["images", "l.png"], mediaType: "image/png"),
                        children: [
                            Record(id: "wash", title: "Wash"), Record(id: "cut", title: "Cut"),
                            Record(id: "boil", title: "Boil"),
                        ])
                ]),
            Record(id: "mains", title: "Mains", children: [Record(id: "leek", title: "Leek Pie")]),
        ])

    @Test("Each row or image binding states the parameters that it requires and provides")
    func bindings() {
        #expect(
            source.rowBindings == [
                "courses": RowBinding(requires: [], provides: ["course"]),
                "recipes": RowBinding(requires: [], provides: ["course", "recipe"]),
                "course.recipes": RowBinding(requires: ["course"], provides: ["course", "recipe"]),
                "steps": RowBinding(requires: [], provides: ["course", "recipe", "step"]),
                "recipe.steps": RowBinding(
                    requires: ["course", "recipe"], provides: ["course", "recipe", "step"]),
            ])
        #expect(
            source.imageBindings == ["recipe.photo": ImageBinding(requires: ["course", "recipe"])])
    }

    @Test(
        "A binding lists the rows of its records with title and subtitle",
        arguments: [
            ("courses", [:], ["Soups/warm", "Mains/"]),
            ("course.recipes", ["course": "soups"], ["Leek Soup/"]),
            ("recipes", [:], ["Leek Soup/Soups", "Leek Pie/Mains"]),
            ("recipe.steps", ["course": "soups", "recipe": "leek"], ["Wash/", "Cut/", "Boil/"]),
            ("recipe.steps", ["course": "mains", "recipe": "leek"], []),
            ("steps", [:], ["Wash/Leek Soup", "Cut/Leek Soup", "Boil/Leek Soup"]),
        ] as [(String, [String: String], [String])])
    func rows(_ binding: String, _ values: [String: String], _ rows: [String]) {
        let parameters = parameters(values)
        #expect(source.numberOfRows(in: binding, parameters) == rows.count)
        let found = (0..<rows.count).map { source.row($0, of: binding, parameters) }
        #expect(found.map { "\($0?.title ?? "")/\($0?.subtitle ?? "")" } == rows)
    }

    @Test("A row has the parameters that identify its record") func parametersOfRow() {
        let row = source.row(1, of: "steps", .none)
        #expect(row?.parameters == ["course": "soups", "recipe": "leek", "step": "cut"])
        #expect(
            source.row(0, of: "course.recipes", parameters(["course": "mains"]))?.parameters
                == ["course": "mains", "recipe": "leek"])
    }

    @Test(
        "A row index out of range, an unknown binding and an unknown record give no row",
        arguments: [
            ("course.recipes", [:], 0), ("course.recipes", ["course": "nobody"], 0),
            ("courses", [:], 2), ("courses", [:], -1), ("nothing", [:], 0),
        ] as [(String, [String: String], Int)])
    func noRow(_ binding: String, _ values: [String: String], _ index: Int) {
        #expect(source.row(index, of: binding, parameters(values)) == nil)
    }

    @Test("The rows with a title are found, also if the Unicode form differs") func titles() {
        let twins = ["Café", "Tea", "Cafe\u{301}"].enumerated().map {
            Record(id: "\($0)", title: $1)
        }
        let source = RecordSource(
            levels: [
                RecordLevel(rows: "menus", each: "menu", image: nil),
                RecordLevel(rows: "drinks", each: "drink", image: nil),
            ],
            records: [
                Record(id: "a", title: "A", children: twins),
                Record(id: "b", title: "B", children: Array(twins[1...])),
            ])
        func found(_ title: String, _ binding: String, _ values: [String: String] = [:]) -> [Int] {
            source.indices(ofRowsTitled: title, in: binding, parameters(values))
        }
        for _ in 0..<2 {
            #expect(found("Café", "drinks") == [0, 2, 4])
            #expect(found("Café", "menu.drinks", ["menu": "a"]) == [0, 2])
            #expect(found("Café", "menu.drinks", ["menu": "b"]) == [1])
            #expect(found("Café", "menu.drinks", ["menu": "c"]).isEmpty)
            #expect(found("B", "menus") == [1])
            #expect(found("Milk", "drinks").isEmpty && found("B", "nothing").isEmpty)
        }
    }

    @Test("The display name of a parameter is the title of its record") func displayName() {
        let values = parameters(["course": "mains", "recipe": "leek"])
        #expect(source.displayName(of: "course", in: values) == "Mains")
        #expect(source.displayName(of: "recipe", in: values) == "Leek Pie")
        #expect(source.displayName(of: "step", in: values) == nil)
        #expect(source.displayName(of: "other", in: values) == nil)
    }

    @Test("A record's image is found if the record has one, and is nil otherwise") func image() {
        let soup = parameters(["course": "soups", "recipe": "leek"])
        #expect(source.image("recipe.photo", soup)?.components == ["images", "l.png"])
        let pie = parameters(["course": "mains", "recipe": "leek"])
        #expect(source.image("recipe.photo", pie) == nil)
        #expect(source.image("recipe.drawing", soup) == nil)
    }

    private func parameters(_ values: [String: String]) -> Parameters {
        Parameters(
            names: values.keys.sorted(), values: values.sorted { $0.key < $1.key }.map(\.value))
    }
}
