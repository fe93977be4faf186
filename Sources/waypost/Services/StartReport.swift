import ArgumentParser
import Logging
import Logs
import PropertyLists

/// Reports the warnings and errors of a start. If the log's format is JSON, they are log entries,
/// so that a collector can parse each line; otherwise they are plain lines, which begin with the
/// name of the file.
struct StartReport {
    let logger: Logger
    let format: LogFormat

    func warn(_ warnings: [Diagnostic]) {
        guard format == .json else { return printFindings(warnings, kind: "warning: ") }
        for finding in firstOf(warnings) { logger.warning("\(finding)") }
    }

    /// Reports the error that ends the start.
    func fail(_ error: any Error) {
        let file = error as? UnusableFile
        warn(file?.warnings ?? [])
        guard format == .json else {
            if let file { return printFindings(file.defects) }
            return printError("\(error)")
        }
        let findings = file.map { firstOf($0.defects) } ?? ["\(error)"]
        for finding in findings.dropFirst() { logger.error("\(finding)") }
        logger.critical("the service cannot start", metadata: ["cause": "\(findings[0])"])
    }

    /// Returns the first 100 findings, and the number of the others.
    private func firstOf(_ findings: [Diagnostic]) -> [String] {
        let limit = 100
        let others = findings.count - limit
        let first = findings.prefix(limit).map(\.description)
        return others > 0 ? first + ["and \(others) more"] : first
    }
}

/// The reason why the service cannot start, and how to correct it.
struct StartFailure: Error, CustomStringConvertible {
    let description: String
}
