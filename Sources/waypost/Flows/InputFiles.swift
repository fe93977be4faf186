import Flows
import Foundation

/// The files whose changes make `waypost test --watch` run the flows again: the flow files, the
/// files that they name, and the storyboard and the catalog that the command line names. The
/// reports that the command writes are not among them, so that a report does not cause another run.
struct WatchedFiles {
    private let flows: [String]
    private let reports: [String]
    private let others: Set<String>

    /// Reads the flow files to find the other files that they name.
    /// - Parameters:
    ///   - flows: the paths of flow files, and of folders with flow files.
    ///   - reports: the paths of the reports that the command writes.
    ///   - others: the paths of further files to watch.
    init(flows: [String], reports: [String], others: [String]) {
        self.flows = flows
        self.reports = reports
        var reader = FlowReader()
        for file in Self.files(in: flows, except: reports) { _ = reader.flows(in: file) }
        self.others = reader.namedFiles.union(others)
    }

    /// Returns the modification time of each file that exists now, by its path.
    func lastChanges() -> [String: Date] {
        var times: [String: Date] = [:]
        for file in others.union(Self.files(in: flows, except: reports)) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            times[file] = attributes?[.modificationDate] as? Date
        }
        return times
    }

    /// Returns the flow files at these paths and in these folders. Skips paths that do not exist
    /// now.
    private static func files(in paths: [String], except reports: [String]) -> [String] {
        paths.flatMap { (try? FlowRunner.files(in: [$0], except: reports)) ?? [] }
    }
}
