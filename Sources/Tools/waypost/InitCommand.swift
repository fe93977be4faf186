import AppDefinition
import AppLoading
import ArgumentParser
import Exploration
import Foundation

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a small app with flows that pass, and a CI job.",
        discussion: """
            Writes a storyboard of three scenes, its data, two flows, and a job for GitHub Actions \
            and for GitLab. With --from, the storyboard is that of an Xcode project, and the flows \
            are up to two of those that `waypost explore` finds; the options of `waypost import` \
            say what the project cannot. If one of the files or the folder of the flows exists, \
            or the project cannot be read, writes nothing and exits with 2.
            """)

    @Argument(help: ArgumentHelp("The folder to write to.", valueName: "folder"))
    var folder = "."

    @Option(
        help: ArgumentHelp(
            "An Xcode storyboard, or the folder of an Xcode project.", valueName: "project"))
    var from: String?

    @OptionGroup(title: "Files of the Xcode project") var files: ImportFiles

    func validate() throws {
        if from == nil, let option = files.firstOption {
            throw ValidationError("\(option) needs --from, which names an Xcode project")
        }
    }

    func run() throws {
        let app = try from.map(importedApp) ?? Self.smallApp
        let files =
            app + [
                (".github/workflows/navigation.yml", "\(starterGitHub)"),
                (".gitlab-ci.yml", "\(starterGitLab)"),
            ]
        try checkAbsence(of: files.map(\.path) + ["flows"])
        for file in files { try write(file.text, to: file.path) }
        printOutput("wrote " + files.map { path($0.path) }.joined(separator: ", ").printableLine)
        printOutput(
            "next: \(folder == "." ? "" : "cd \(folder.shellWord.printableLine); ")waypost test flows; "
                + "waypost explore --storyboard app.json; waypost serve --storyboard app.json")
    }

    private static let smallApp: [(path: String, text: String)] = [
        ("app.json", "\(starterApp)"), ("notes.json", "\(starterNotes)"),
        ("flows/new.yaml", "\(starterNew)"), ("flows/read.yaml", "\(starterRead)"),
    ]

    // MARK: An Xcode project

    private func importedApp(_ project: String) throws -> [(path: String, text: String)] {
        let imported = try files.run([project]) { _ in .couldNotRun }
        let flows = try flows(of: project, imported)
        return [("app.json", files.json(of: imported, for: path("app.json")))] + flows
    }

    /// The flows to the scenes that take the most steps.
    private func flows(
        of project: String, _ imported: StoryboardImport
    ) throws -> [(path: String, text: String)] {
        var app = AppFiles(storyboard: project)
        app.xcode = files.source
        app.imported = imported
        var exploration: Exploration
        do {
            exploration = Exploration(try app.load().app)
        } catch {
            printFindings(error.defects, kind: "error: ")
            throw ExitStatus.couldNotRun
        }
        if exploration.run().hasErrors {
            printError(
                "warning: the last command of the job fails, since waypost explore finds errors; "
                    + "a scene that only code shows is named in shownByCode, see importing.md")
        }
        return exploration.flows(storyboard: "../app.json")
            .filter { $0.file.hasPrefix("scene-") }
            .sorted { ($1.text.count, $0.file) < ($0.text.count, $1.file) }
            .prefix(2).map { ("flows/\($0.file)", $0.text) }
    }

    // MARK: Writing

    private func path(_ file: String) -> String { folder == "." ? file : "\(folder)/\(file)" }

    private func checkAbsence(of files: [String]) throws {
        let present = files.map(path).filter(FileManager.default.fileExists)
        guard present.isEmpty else {
            for file in present { printError("\(file.printableLine): exists already") }
            printError("nothing was written: name another folder, or move these files away")
            throw ExitStatus.couldNotRun
        }
    }

    private func write(_ text: String, to file: String) throws {
        let url = URL(fileURLWithPath: path(file))
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url, options: .withoutOverwriting)
        } catch {
            let reason = systemReason(of: error)
            throw CommandFailure("\(url.relativePath): the file cannot be written: \(reason)")
        }
    }
}

extension String {
    /// The text as one word of a shell's command line, in quotes where a shell needs them.
    fileprivate var shellWord: String {
        let marks = "/._-+=:@%,".unicodeScalars
        let isPlain = unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || marks.contains(scalar)
        }
        return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
    }
}
