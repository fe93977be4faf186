import AppDefinition
import ArgumentParser
import Logging
import WaypostCore

/// Reports the warnings and errors of a start. If the log's format is JSON, each warning or error
/// becomes a log entry, so that a log collector can parse each line. Otherwise each becomes a line
/// of plain text, which names the file that the warning or error is about, if there is one.
struct StartReport {
    let logger: Logger
    let format: LogFormat

    func warn(_ warnings: [Diagnostic]) {
        guard format == .json else { return printFindings(warnings, kind: "warning: ") }
        for finding in lines(of: warnings) { logger.warning("\(finding)") }
    }

    /// Reports the error because of which the service cannot start.
    func fail(_ error: any Error) {
        let file = error as? UnusableFile
        warn(file?.warnings ?? [])
        guard format == .json else {
            if let file { return printFindings(file.defects) }
            return printError("\(error)")
        }
        let findings = file.map { lines(of: $0.defects) } ?? ["\(error)"]
        for finding in findings.dropFirst() { logger.error("\(finding)") }
        logger.critical("the service cannot start", metadata: ["cause": "\(findings[0])"])
    }
}
