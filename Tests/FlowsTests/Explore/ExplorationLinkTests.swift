import NavigationRules
import Testing
import WaypostCore

@testable import Exploration

/// Tests of the rows from which the links of an exploration take their parameters.
@Suite struct ExplorationLinkTests {
    /// Counts the rows that are read from another source.
    private struct CountingSource: DataSource {
        let base: any DataSource
        let reads = Counter()

        var rowBindings: [String: RowBinding] { base.rowBindings }
        var imageBindings: [String: ImageBinding] { base.imageBindings }

        func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? {
            base.numberOfRows(in: binding, parameters)
        }

        func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
            reads.increment()
            return base.row(index, of: binding, parameters)
        }

        func image(_ binding: String, _ parameters: Parameters) -> ImageReference? {
            base.image(binding, parameters)
        }

        func displayName(of parameter: String, in parameters: Parameters) -> String? {
            base.displayName(of: parameter, in: parameters)
        }
    }

    @Test("The books of an author are read once, and not again for each book")
    func reads() throws {
        let library = try loadApp(nil)
        let source = CountingSource(base: library.dataSource)
        let app = App(storyboard: library.storyboard, dataSource: source)
        let reads = source.reads.value
        let rows = ExplorationLink.rows(of: app, limit: 1000)
        #expect(rows.count == 15 + 65)
        // Each book is in two lists: that of its author, and that of all books.
        #expect(source.reads.value - reads == 15 + 2 * 65)
    }
}
