import Flows
import Foundation

/// The files whose changes make `waypost test --watch` run the flows again: the flows, the files
/// whose steps they use, and storyboards. A report in the same folder causes no further run.
struct WatchedFiles {
    private let flows: [String]
    private let reports: [String]
    private let others: Set<String>

    /// Reads the flow files to find the other files that they name.
    /// - Parameters:
    ///   - flows: the flow files, and folders of them.
    ///   - reports: the files that the command writes.
    ///   - others: further files to watch.
    init(flows: [String], reports: [String], others: [String]) {
        self.flows = flows
        self.reports = reports
        var reader = FlowReader()
        for file in Self.files(in: flows, except: reports) { _ = reader.flows(in: file) }
        self.others = reader.namedFiles.union(others)
    }

    /// Returns the time of the last change of each file that exists now.
    func lastChanges() -> [String: Date] {
        var times: [String: Date] = [:]
        for file in others.union(Self.files(in: flows, except: reports)) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            times[file] = attributes?[.modificationDate] as? Date
        }
        return times
    }

    /// Returns the flow files. Skips each path that does not exist now.
    private static func files(in paths: [String], except reports: [String]) -> [String] {
        paths.flatMap { (try? FlowRunner.files(in: [$0], except: reports)) ?? [] }
    }
}
