import Foundation

/// Draws graphs with `dot`, the program of Graphviz.
enum Graphviz {
    /// Prints a graph as an SVG image.
    /// - Parameter graph: the graph in DOT, the language of Graphviz.
    /// - Throws: `ExitStatus.couldNotRun` if `dot` is not installed or fails. The reason is printed
    ///   first.
    static func printSVG(of graph: String) throws(ExitStatus) {
        guard let program else {
            printError(
                "--format svg needs Graphviz, and its program dot is not in PATH. Install Graphviz "
                    + "(Debian: apt-get install graphviz), or draw the output of --format dot elsewhere"
            )
            throw .couldNotRun
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
            printError("\(program.path): \(systemReason(of: error))".printableLine)
            throw .couldNotRun
        }
        try? input.fileHandleForWriting.write(contentsOf: Data(graph.utf8))
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            printError(
                "\(program.path) failed with status \(process.terminationStatus)".printableLine)
            throw .couldNotRun
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
