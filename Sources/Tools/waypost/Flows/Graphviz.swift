import Foundation

/// Draws graphs with `dot`, the program of Graphviz.
enum Graphviz {
    /// Prints a graph as an SVG image.
    /// - Parameter graph: the graph in DOT, the language of Graphviz.
    /// - Throws: `CommandFailure` if `dot` is not installed or fails.
    static func printSVG(of graph: String) throws(CommandFailure) {
        guard let program else {
            throw CommandFailure(
                "--format svg needs Graphviz, and its program dot is not in PATH. Install Graphviz "
                    + "(Debian: apt-get install graphviz), or draw the output of --format dot elsewhere"
            )
        }
        // A dot that ends before it has read the graph must not end this process.
        signal(SIGPIPE, SIG_IGN)
        let input = Pipe()
        let process = Process()
        process.executableURL = program
        process.arguments = ["-Tsvg"]
        process.standardInput = input
        do {
            try process.run()
        } catch {
            throw CommandFailure("\(program.path): \(systemReason(of: error))")
        }
        try? input.fileHandleForWriting.write(contentsOf: Data(graph.utf8))
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw CommandFailure(
                "\(program.path) failed with status \(process.terminationStatus)")
        }
    }

    /// The first executable `dot` of the folders in PATH.
    private static var program: URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":")
            .map { URL(filePath: String($0)).appending(path: "dot") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
