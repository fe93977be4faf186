import ArgumentParser
import Exploration
import Navigation

struct PathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the shortest way of a user to a scene as a flow.",
        discussion: """
            The way consists of taps, swipes, log-ins, log-outs and links. The command prints a flow, \
            which `waypost test` runs, and exits with 0. If no user action leads from the start to the \
            scene, it says so and exits with 1. It exits with 2 if it could not run, and with 3 if it \
            found no way but left out rows, or stacks of tabs to which an unwinding may lead.

            \(DataOptions.help)
            """)

    @OptionGroup(title: "App") var data: DataOptions

    @Argument(help: "`launch`, the name of a scene, or a link such as /books/emma.")
    var from: String

    @Argument(help: "The name of a scene.")
    var to: String

    @Flag(help: "Use only taps and swipes, no log-ins, log-outs and links.")
    var gestures = false

    @Option(
        help: "The maximum number of rows of data to select in each table; 0 for all rows.")
    var maxRows = 3

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws { try checkRanges([("max-rows", maxRows, 0...1_000_000)]) }

    func run() throws {
        var limits = Exploration.Limits()
        limits.rows = maxRows == 0 ? nil : maxRows
        let app = try data.load(showsWarnings: false).app
        try check(to, in: app)
        let start: PathSearch.Start
        if from == "launch" {
            start = .launch
        } else if from.hasPrefix("/") || from.contains("://") {
            let link = Link(reference: from)
            do throws(NavigationError) { try app.check(link) } catch {
                throw ValidationError("no session can open \(from): \(error.code.rawValue)")
            }
            start = .link(link)
        } else {
            try check(from, in: app)
            start = .scene(from)
        }
        let answer = PathSearch(app, limits, onlyGestures: gestures).answer(from: start, to: to)
        if json { printOutput(answer.json(from: from, to: to)) }
        let text = answer.text(from: from, to: to, storyboard: data.storyboard)
        switch answer {
        case .path:
            if !json { printOutput(String(text.dropLast())) }
        case .none:
            if !json { printOutput(text.printableLine) }
            throw ExitStatus.findings
        case .unknown:
            if !json { printOutput(text.printableLine) }
            throw ExitStatus.unknown
        }
    }

    private func check(_ name: Scene.Name, in app: App) throws {
        let scenes = app.storyboard.scenes.filter { !$0.value.kind.isContainer }
        guard scenes[name] == nil else { return }
        let near = nearest(to: name, among: scenes.keys.sorted())
        let advice = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
        throw ValidationError("no scene is named \(name)\(advice)")
    }
}
