import Foundation
import TestSupport

/// Runs other programs, as a user would.
package enum Shell {
    package struct Result: Sendable {
        package let status: Int32
        package let output: String
        package let errors: String
    }

    /// Scripts block threads of this queue, because the cooperative pool has only as many threads
    /// as there are processors and other tests need those.
    private static let queue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        return queue
    }()

    /// Defines `seen PATTERN FILE [LINE]`, which prints the first match of a pattern in a file as soon
    /// as the file has one, from a line on. Fails if the process `$service` ends without it. The
    /// script waits for the file, and leaves the processors to the service meanwhile.
    private static let seen = """
        seen() {
          grep -m 1 -oP -- "$1" <(exec tail -F -n "+${3:-1}" -s 0.1 --pid=$service -- "$2" 2> /dev/null)
        }

        """

    /// Runs a script in bash, in a folder of its own that is removed afterwards. The script can use
    /// `seen`.
    package static func run(
        _ script: String, environment: [String: String] = [:]
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.addOperation {
                continuation.resume(
                    with: Swift.Result { try runAndWait(script, environment: environment) })
            }
        }
    }

    private static func runAndWait(
        _ script: String, environment: [String: String]
    ) throws -> Result {
        let folder = try TemporaryFolder()
        // The output goes to files, because a full pipe without a reader would block the script.
        let output = URL(filePath: try folder.write("", to: "output"))
        let errors = URL(filePath: try folder.write("", to: "errors"))
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", seen + script]
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    /// The checkout from which the tests were built.
    package static let checkout = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The executable that was built together with the tests.
    package static let waypost = Bundle.main.bundleURL.appending(path: "waypost").path
}
