import AppDefinition
import ArgumentParser
import Flows
import Foundation

struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run flows, which are scripted tests of an app, and print the failures.",
        discussion: """
            Exits with 0 if all flows passed, with 1 if some failed or the coverage is too low, and \
            with 2 if the flows could not run. The environment variable NO_COLOR turns colours off. \
            docs/testing.md describes flow files.

            \(DataOptions.help)
            """)

    @Argument(help: "Flow files (YAML or JSON), and folders with flow files.")
    var flows: [String]

    @OptionGroup(title: "App") var data: DataOptions

    @Option(
        help: ArgumentHelp(
            "The URL of a running service to test.",
            discussion: """
                For example http://127.0.0.1:8080. Default: the command itself runs the app, without \
                a service.
                """, valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "Run only the flows that have one of these tags.", valueName: "tag,…"))
    var tags: String?

    @Flag(help: "Stop at the first flow that fails.")
    var failFast = false

    @Option(
        help: ArgumentHelp(
            "Run only one share of the flows; 2/4 is the second of four shares.",
            valueName: "n/count"))
    var shard: Shard?

    @Option(
        help: """
            The maximum number of flows that run at the same time. Default: the number of processors.
            """)
    var jobs: Int?

    @OptionGroup var reports: ReportOptions

    @Flag(help: "Replace each expectation that is not met with the value that was found.")
    var update = false

    @Flag(help: "Run the flows again whenever a flow, a storyboard or its data changes.")
    var watch = false

    @Flag(help: "Print the parts of the storyboards that no flow has used.")
    var coverage = false

    @Option(
        help: ArgumentHelp(
            "Exit with 1 if the coverage is below this value.", valueName: "percent"))
    var coverageThreshold: Double?

    func validate() throws {
        if url != nil, coverage || coverageThreshold != nil {
            throw ValidationError(
                "--coverage and --coverage-threshold cannot be used together with --url")
        }
        if let jobs { try checkRanges([("jobs", jobs, 1...1024)]) }
        if let threshold = coverageThreshold, !(0...100).contains(threshold) {
            throw ValidationError("--coverage-threshold must be from 0 to 100")
        }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        if !reports.paths.isEmpty { try inputFiles.refuseReports() }
        try reports.check(inputs: [])
        guard watch else { return try await runOnce() }
        while true {
            let files = inputFiles
            let before = files.lastChanges()
            do { try await runOnce() } catch { ExitStatus.report(error) }
            printError("waiting for changes")
            var after = files.lastChanges()
            while after == before {
                try await Task.sleep(for: .milliseconds(200))
                after = files.lastChanges()
            }
            let paths = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            let names = Set(paths.map(RelativePath.shown)).sorted().joined(separator: ", ")
            printError("changed: \(names)".printableLine)
        }
    }

    private var inputFiles: InputFiles {
        InputFiles(flows: flows, reports: reports.paths) {
            data.files(storyboard: $0 ?? data.storyboard).paths
        }
    }

    /// Runs the flows once, and prints their results.
    /// - Throws: `ExitStatus.findings` if a flow failed or the coverage is too low, and another
    ///   error if the flows could not run or a file could not be written.
    private func runOnce() async throws {
        let flows = try selectedFlows()
        guard !flows.isEmpty else {
            throw CommandFailure("no flow is selected: check the files, --tags and --shard")
        }
        let apps =
            url == nil
            ? try LocalApps(flows, storyboard: data.storyboard) { try load($0).app } : nil
        var runner = try apps?.runner ?? remoteRunner(for: flows)
        if let jobs { runner.jobs = jobs }
        runner.stopsAtFailure = failFast
        runner.goesOn = update
        try await run(flows, with: runner, apps)
    }

    private func selectedFlows() throws -> [Flow] {
        var flows = try FlowReader.read(FlowRunner.files(in: self.flows, except: reports.paths))
        if let tags {
            flows = FlowRunner.selecting(
                flows,
                tags: tags.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        }
        if let shard {
            flows = FlowRunner.selecting(flows, shard: shard.number, of: shard.count)
        }
        return flows
    }

    private func load(_ app: String?) throws -> LoadedApp {
        try data.load(storyboard: app, showsWarnings: false)
    }

    private func remoteRunner(for flows: [Flow]) throws -> FlowRunner {
        try RemoteService(url ?? "").runner(of: flows, storyboard: data.storyboard) {
            try load($0).app.storyboard
        }
    }

    private func run(
        _ flows: [Flow], with runner: FlowRunner, _ apps: LocalApps?
    ) async throws {
        let output = FlowOutput(count: flows.count)
        let results = await runner.run(flows) { output.note($0) }
        let report = output.end(
            results, coverage: apps?.coverage ?? [],
            showsCoverage: coverage || coverageThreshold != nil)
        try reports.write(report)
        if update {
            let (count, files) = try FlowUpdate.apply(results.flatMap(\.mismatches))
            let shown = files.map { RelativePath.shown($0) }.joined(separator: ", ")
            let place = files.isEmpty ? "" : " in \(shown)"
            printError(
                "updated: \(count == 1 ? "1 expectation" : "\(count) expectations")\(place)"
                    .printableLine)
        }
        let usesLibrary = apps != nil && data.storyboard == nil
        if usesLibrary, results.contains(where: { $0.status == .failed && $0.flow.app == nil }) {
            printError(
                "a flow that failed names no app, so it ran on the built-in Library: name one with "
                    + "`app`, or use --storyboard")
        }
        if let threshold = coverageThreshold, report.coveragePercent < threshold {
            let percent = String(format: "%.1f", report.coveragePercent)
            printError("the coverage is \(percent) %, below the threshold of \(threshold) %")
            throw ExitStatus.findings
        }
        if report.count(.failed) > 0 { throw ExitStatus.findings }
        guard report.count(.passed) > 0 else {
            throw CommandFailure("no flow has run: all are skipped, for the reasons above")
        }
    }
}

/// One share of the flows, so that several machines can divide them: `2/4` is the second of four
/// shares.
struct Shard: ExpressibleByArgument {
    let number: Int
    let count: Int

    init?(argument: String) {
        let parts = argument.split(separator: "/").map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1],
            (1...10_000).contains(count), (1...count).contains(number)
        else { return nil }
        self.number = number
        self.count = count
    }
}

/// The option for the reports about flows or traces.
struct ReportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a report: junit, json or html.", valueName: "format=file"))
    var report: [ReportFile] = []

    var paths: [String] { report.map(\.path) }

    /// Checks before the run that the reports can be written, and that no report would replace
    /// another one or one of the files that the command reads.
    func check(inputs: [String]) throws {
        try paths.refuse(inputs: inputs)
        for (index, path) in paths.enumerated() {
            try OutputFile.check(path)
            if OutputFile.replaces(path), paths[..<index].contains(where: path.isSameFile) {
                throw ValidationError(
                    "two reports would be written to \(path): name another file for one of them")
            }
        }
    }

    func write(_ report: FlowReport) throws {
        for file in self.report {
            try OutputFile.write(report.text(file.format), to: file.path)
        }
    }
}

/// The format of a report and the file to which the report is written: `junit=flows.xml`.
struct ReportFile: ExpressibleByArgument {
    let format: FlowReport.Format
    let path: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let format = FlowReport.Format(rawValue: String(parts[0])) else {
            return nil
        }
        self.format = format
        path = String(parts[1])
    }
}
