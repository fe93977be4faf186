import Synchronization
import TestSupport
import Testing

@testable import NavigationRules

@Suite struct TapTests {
    @Test("A tap, and a segue in a strict session, read few rows of a table of 1,000")
    func rowsRead() throws {
        var controls = Controls()
        controls.buttons = [Control(title: "Again", segue: "again")]
        let table = Scene(
            name: "table", kind: .table, rows: "rows",
            segues: [
                Segue(identifier: "again", action: .show("table")),
                Segue(identifier: "row", action: .show("item")),
            ], selectSegue: "row", controls: controls)
        let source = CountedRows()
        let draft = StoryboardDraft(
            name: "Rows", initialScene: "table",
            scenes: [table, Scene(name: "item", kind: .blank)],
            isStrict: true)
        let app = App(storyboard: try Storyboard(draft, dataSource: source), dataSource: source)
        let operations: [any NavigationOperation] = [
            TapControl(0, in: .button), TapControl(title: "Again", in: .button),
            TapControl(7, in: .row), TapControl(title: "Row 7"), PerformSegue("again"),
            PerformSegue("row"),
        ]
        for operation in operations {
            var window = Window.launch(app).window
            let before = source.count
            #expect(try window.perform(Operation(operation), animated: true, in: app).changed)
            #expect(source.count - before < 5, "\(operation)")
        }
        var window = Window.launch(app).window
        for index in [-1, 1_000, Int.max] {
            #expect(
                throws: NavigationError.tapOutOfRange(
                    index, in: .row, indices: Array(0..<1_000))
            ) {
                try window.perform(Operation(TapControl(index, in: .row)), animated: true, in: app)
            }
        }
    }

    @Test("A tap finds a segment without a title by its scene's, also if it can take a parameter")
    func unusedSegment() throws {
        let scenes = [
            Scene(name: "A", kind: .blank, title: try TextTemplate("One")),
            Scene(
                name: "B", kind: .blank, title: try TextTemplate("Two{q}"), parameters: ["q?"]),
        ]
        let draft = StoryboardDraft(
            name: "Segments", initialScene: "A", segments: [(nil, "A"), (nil, "B")],
            scenes: scenes)
        let app = App(storyboard: try Storyboard(draft, dataSource: NoData()), dataSource: NoData())
        var window = Window.launch(app).window
        _ = try window.perform(Operation(TapControl(title: "Two")), animated: true, in: app)
        #expect(window.segments?.selectedIndex == 1)
    }

    @Test(
        "The detail of a tap out of range names the controls that can be tapped",
        arguments: [
            ([], "the screen has no row to tap"),
            ([2], "there is no row 9 to tap: the only row to tap is 2"),
            ([0, 1, 2], "there is no row 9 to tap: the rows to tap are 0 to 2"),
            ([0, 2], "there is no row 9 to tap: the rows to tap are 0, 2"),
            (
                Array(1...11),
                "there is no row 9 to tap: the rows to tap are 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …; "
                    + "GET screen lists them"
            ),
        ])
    func detail(indices: [Int], text: String) {
        #expect(NavigationError.tapOutOfRange(9, in: .row, indices: indices).detail == text)
    }
}

/// A data source with 1,000 rows, which counts how often one of them is read.
private final class CountedRows: DataSource {
    private let reads = Atomic<Int>(0)

    var count: Int { reads.load(ordering: .relaxed) }

    let rowBindings = ["rows": RowBinding(requires: [], provides: [])]
    let imageBindings: [String: ImageBinding] = [:]

    func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? { 1_000 }

    func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
        reads.add(1, ordering: .relaxed)
        return Row(title: "Row \(index)", subtitle: nil, parameters: .none)
    }

    func indices(
        ofRowsTitled title: String, in binding: String, _ parameters: Parameters
    ) -> [Int] {
        title.split(separator: " ").last.flatMap { Int($0) }.map { [$0] } ?? []
    }

    func image(_ binding: String, _ parameters: Parameters) -> ImageReference? { nil }
    func displayName(of parameter: String, in parameters: Parameters) -> String? { nil }
}
