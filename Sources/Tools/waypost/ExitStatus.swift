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

    /// Determines the status for an error that ends a command. All commands end here.
    init(_ error: any Error) {
        if let status = error as? ExitStatus {
            self = status
        } else {
            // The parser throws also for --help and --version, and these are no failures.
            self = Waypost.exitCode(for: error).isSuccess ? .success : .couldNotRun
        }
    }

    /// Returns the status of a command that examines files and has found defects: `couldNotRun` if
    /// a file is missing or this process may not read it.
    static func defects(of paths: [String]) -> ExitStatus {
        paths.allSatisfy(FileManager.default.isReadableFile) ? .findings : .couldNotRun
    }

    /// Prints the message of an error that ends a command or one run of it, if the command has not
    /// printed it.
    /// - Returns: the status for the error.
    @discardableResult
    static func report(_ error: any Error) -> ExitStatus {
        let status = ExitStatus(error)
        switch error {
        case is ExitStatus: break
        case let error as FlowDefects:
            for defect in error.defects.prefix(100) {
                printError(defect.description.printableLine)
            }
        // The errors of the parser have other exit codes.
        case _ where Waypost.exitCode(for: error) == .failure:
            printError("\(error)".printableLine)
        default:
            let message = Waypost.fullMessage(for: error)
            if status == .success {
                printOutput(message)
            } else {
                printError(message)
            }
        }
        return status
    }
}

/// The reason why a command cannot do its work, or why the service cannot start, and how to correct
/// it.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
