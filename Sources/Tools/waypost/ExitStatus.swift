import ArgumentParser
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

    /// Prints the message of an error, if the command has not printed it, and ends the process.
    static func exit(for error: any Error) -> Never {
        let status = ExitStatus(error)
        switch error {
        case is ExitStatus: break
        case let defect as FileDefect: printError(defect.description)
        default:
            let message = Waypost.fullMessage(for: error)
            if status == .success {
                printOutput(message)
            } else {
                printError(message)
            }
        }
        Foundation.exit(status.rawValue)
    }
}
