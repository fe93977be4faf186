import ArgumentParser
import Flows
import Foundation

/// How a command ends. A command that has printed the reason throws one of the failures.
enum ExitStatus: Int32, Error {
    case success = 0
    /// The command did its work, and its answer is a fault of what it examined: a flow that failed,
    /// an error of `check`, `explore`, `import` or `verify`, a defect of a store, a service that is
    /// not ready.
    case findings = 1
    /// The command could not do its work: an unknown option, a file that is missing or cannot be
    /// read, a service that cannot be reached or refuses the request, a service that cannot start.
    case couldNotRun = 2
    /// The command did its work and found no fault, but could not decide everything: `explore` and
    /// `path`.
    case unknown = 3

    /// Returns the status of a command that examines files and has found defects: `couldNotRun` if
    /// a file is missing or this process may not read it.
    static func defects(of paths: [String]) -> ExitStatus {
        paths.allSatisfy(FileManager.default.isReadableFile) ? .findings : .couldNotRun
    }

    /// Prints the message of an error that ends a command or one run of it, if the command has not
    /// printed it. All commands end here.
    /// - Returns: the status for the error.
    @discardableResult
    static func report(_ error: any Error) -> ExitStatus {
        switch error {
        case let status as ExitStatus: return status
        case let error as FlowDefects:
            for line in lines(of: error.defects) { printError(line.printableLine) }
            return .couldNotRun
        default: break
        }
        let code = Waypost.exitCode(for: error)
        if code == .failure {
            printError("\(error)".printableLine)
            return .couldNotRun
        }
        // The parser's own errors have other codes. It throws also for --help and --version, and these
        // are no failures.
        let message = Waypost.fullMessage(for: error)
        code.isSuccess ? printOutput(message) : printError(message)
        return code.isSuccess ? .success : .couldNotRun
    }
}

/// The reason why a command cannot do its work, or why the service cannot start, and how to correct
/// it.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    /// The problem code of the service's response; nil if the service has sent none.
    let code: String?

    init(_ description: String, code: String? = nil) {
        self.description = description
        self.code = code
    }
}
