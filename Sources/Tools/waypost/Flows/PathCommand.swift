import ArgumentParser
import Exploration
import Flows
import NavigationRules

struct PathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the shortest way of a user to a scene as a flow.",
        discussion: """
            The way consists of taps, swipes, log-ins, log-outs and links. The command prints a flow, \
            which `waypost test` runs, and exits with 0. After a flow, the way starts with a step that \
            uses it. If no user action leads from the start to the scene, it says so and exits with 1. \
            It exits with 2 if it could not run, and with 3 if it found no way but left out rows or \
            links, or stacks of tabs to which an unwinding may lead.

            \(DataOptions.help)
            """)

    @OptionGroup(title: "App") var data: DataOptions

    @Argument(
        help: """
            `launch`, the name of a scene, a link such as /books/emma, or the end of a flow: @FILE, or \
            @FILE#NAME for one of several flows in a file.
            """)
    var from: String

    @Argument(help: "The name of a scene.")
    var to: String

    @Flag(help: "Use only taps and swipes, no log-ins, log-outs and links.")
    var gestures = false

    @OptionGroup var rows: RowLimit

    @Flag(
        help: "If no user action leads to the scene, print the scenes to which user actions lead.")
    var explain = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let flow = from.hasPrefix("@") ? try self.flow(String(from.dropFirst())) : nil
        let app = try data.load(storyboard: flow?.app, showsWarnings: false).app
        try check(to, in: app)
        let start = try await start(in: app, after: flow)
        let answer = PathSearch(app, rows.limits, onlyGestures: gestures)
            .answer(from: start, to: to)
        if json {
            printJSON(answer.json(from: from, to: to, isExplained: explain))
        } else {
            var keys = flow?.lifecycle.map { ["lifecycle: \($0.rawValue)"] } ?? []
            if let isStrict = flow?.isStrict { keys.append("strict: \(isStrict)") }
            if let flags = flow?.flags, !flags.isEmpty {
                let flags = flags.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                keys.append("flags: { \(flags.joined(separator: ", ")) }")
            }
            let text = answer.text(
                from: from, to: to, storyboard: flow?.app ?? data.storyboard, keys: keys,
                isExplained: explain)
            printOutput(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        }
        switch answer {
        case .path: break
        case .none: throw ExitStatus.findings
        case .unknown: throw ExitStatus.unknown
        }
    }

    private func start(in app: App, after flow: Flow?) async throws -> PathSearch.Start {
        if let flow {
            do {
                let end = try await FlowEnd(of: flow, in: app)
                let reference = String(from.dropFirst())
                return .end(end.window, flow: reference, accounts: end.accounts)
            } catch {
                throw CommandFailure("the flow \(flow.name) does not pass: \(error)")
            }
        }
        if from == "launch" { return .launch }
        if from.hasPrefix("/") || from.contains("://") {
            let link = Link(reference: from)
            do throws(NavigationError) { try app.check(link) } catch {
                throw ValidationError("no session can open \(from): \(error.code.rawValue)")
            }
            return .link(link)
        }
        try check(from, in: app)
        return .scene(from)
    }

    /// Reads a flow.
    /// - Parameter reference: `FILE`, or `FILE#NAME`.
    private func flow(_ reference: String) throws -> Flow {
        let (file, name) = FlowReader.reference(reference)
        let flows = try FlowReader.read([file])
        let named = name.map { name in flows.filter { $0.name == name } } ?? flows
        guard let flow = named.first, named.count == 1 else {
            let names = flows.map { "@\(file)#\($0.name)" }.joined(separator: ", ")
            throw ValidationError("expected one flow: name one of \(names)")
        }
        return flow
    }

    private func check(_ name: Scene.Name, in app: App) throws {
        if let reason = app.storyboard.refusal(ofWayTo: name) { throw ValidationError(reason) }
    }
}
