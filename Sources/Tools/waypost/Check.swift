import AppDefinition
import ArgumentParser
import NavigationRules

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a catalog and a storyboard, and print a summary or the defects.",
        discussion: """
            Exits with 0 if the service can use the files. If they have defects, prints the defects \
            to standard error, and exits with 1. Exits with 2 if a file is missing or cannot be read.

            \(DataOptions.help)
            """)

    @OptionGroup(title: "App") var data: DataOptions

    @Flag(help: "Exit with 1 if there are warnings.")
    var failOnWarnings = false

    func run() throws {
        let data = try data.load(showsWarnings: true, ifDefective: .findings)
        let storyboard = data.app.storyboard
        if let catalog = data.catalog {
            // The books of the Library are no part of an app that shows no books.
            if self.data.catalog != nil || storyboard.showsData {
                let books = catalog.authors.flatMap(\.books)
                let covers = counted(books.count { $0.cover != nil }, "cover")
                printOutput("catalog: \(data.summary.printableLine), \(covers)")
            }
        } else {
            let images = counted(data.images.count, "image")
            printOutput("data: \(data.summary.printableLine), \(images)")
        }
        printOutput(
            """
            storyboard: \(storyboard.name.printableLine): \(counted(storyboard.scenes.count, "scene")), \
            \(counted(storyboard.segments.count, "segment")), \
            \(counted(storyboard.scenes.values.count { $0.path != nil }, "link")), \
            \(storyboard.loginScene == nil ? "no login" : "with login")
            """)
        if failOnWarnings, !data.warnings.isEmpty { throw ExitStatus.findings }
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

extension Storyboard {
    /// Whether a scene shows rows or an image of the app's data.
    fileprivate var showsData: Bool {
        scenes.values.contains { $0.rows != nil || $0.image != nil }
    }
}
