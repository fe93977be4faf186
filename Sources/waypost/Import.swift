import ArgumentParser
import Foundation
import XcodeStoryboards

/// Imports storyboards that Xcode has written.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a storyboard of Waypost from the storyboards of an Xcode project.",
        discussion: """
            Prints the storyboard, and the findings about it on standard error. Exits with 1 if \
            there are errors.
            """)

    @Argument(
        help: "Storyboards of Xcode, or the folder of a project.", transform: { $0 })
    var files: [String]

    @Flag(help: "Print the navigation graph of one file as the file has it.")
    var graph = false

    func run() throws {
        if graph { return try printGraph() }
    }

    private func printGraph() throws {
        guard files.count == 1 else { throw ValidationError("--graph takes one file") }
        do {
            printOutput(try XcodeStoryboard(contentsOfFile: files[0]).graph.text)
        } catch {
            printError("\(files[0].printableLine): \(error.reason.printableLine)")
            throw ExitCode(1)
        }
    }
}
