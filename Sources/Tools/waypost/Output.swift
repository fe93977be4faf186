import AppDefinition
import AppLoading
import Flows
import Foundation
import Synchronization

// The output is unbuffered, so that each line appears immediately, even in a pipe. Write errors end
// no command at once, because a closed pipe must not end the service.

/// Prints text to standard output.
/// - Parameter text: one line or several lines.
func printOutput(_ text: String) { StandardOutput.write("\(text.printable)\n") }

/// Prints JSON to standard output.
/// - Parameter json: one value on one line or on several lines.
func printJSON(_ json: String) { StandardOutput.write("\(json.printableJSON)\n") }

/// The standard output of this process.
enum StandardOutput {
    private static let failure = Mutex<Int32?>(nil)

    /// Writes a text. Keeps the first error for `check()`. A closed pipe is no error: its reader has
    /// read enough.
    static func write(_ text: String) {
        guard let code = OutputFile.write(text.utf8, to: STDOUT_FILENO), code != EPIPE else {
            return
        }
        failure.withLock { $0 = $0 ?? code }
    }

    /// Checks that all output could be written.
    /// - Throws: `CommandFailure` with the reason of the system.
    static func check() throws(CommandFailure) {
        guard let code = failure.withLock(\.self) else { return }
        throw CommandFailure("the output cannot be written: \(String(cString: strerror(code)))")
    }
}

/// Prints text to standard error.
/// - Parameter text: one line or several lines.
func printError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(text.printable)\n".utf8))
}

/// Returns the system's reason for an error of Foundation, such as "Permission denied".
func systemReason(of error: any Error) -> String {
    if let failure = error as? FileFailure { return failure.reason }
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    return (cause as? POSIXError).map { String(cString: strerror($0.code.rawValue)) }
        ?? error.localizedDescription
}

/// Prints the first 100 findings to standard error, each on its own line. If there are more, prints
/// how many.
/// - Parameter kind: a prefix for each line, such as `warning: `.
func printFindings(_ findings: [Diagnostic], kind: String = "") {
    for line in lines(of: findings) { printError(kind + line.printableLine) }
}

/// Returns the descriptions of the first 100 findings. If there are more, a last one says how many.
func lines(of findings: [some CustomStringConvertible]) -> [String] {
    let limit = 100
    let others = findings.count - limit
    let first = findings.prefix(limit).map(\.description)
    return others > 0 ? first + ["and \(others) more"] : first
}
