import ArgumentParser
import Library

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a catalog and a storyboard, and say what was found.",
        discussion: "Exits with 0 if they can be served, with 1 and the defects if not.")

    @OptionGroup var data: DataOptions

    func run() throws {
        let data = try data.load()
        let storyboard = data.app.storyboard
        let books = data.catalog.authors.flatMap(\.books)
        printOutput(
            """
            catalog: \(data.catalog.authors.count) authors, \(books.count) books, \
            \(books.count { $0.cover != nil }) covers
            storyboard: \(storyboard.name.printableLine): \(storyboard.scenes.count) scenes, \
            \(storyboard.segments.count) segments, \
            \(storyboard.scenes.values.count { $0.path != nil }) links, \
            \(storyboard.loginScene == nil ? "no login" : "with login")
            """)
    }
}
