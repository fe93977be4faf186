import ArgumentParser
import Flows
import Foundation

/// The files that `waypost test` reads: the flow files, the files that they name, and the files of
/// their apps. `--watch` runs the flows again when one of them changes, and no report may replace
/// one of them. The reports that the command writes into a folder of flows are not among them, so
/// that a report does not cause another run.
struct InputFiles {
    private let flows: [String]
    private let reports: [String]
    private let others: Set<String>

    /// Reads the flow files to find the other files that they name.
    /// - Parameters:
    ///   - flows: the paths of flow files, and of folders with flow files.
    ///   - reports: the paths of the reports that the command writes.
    ///   - app: returns the paths of the files of an app, for the path of its storyboard; nil
    ///     stands for the storyboard that the command line names.
    init(flows: [String], reports: [String], app: (String?) -> [String]) {
        self.flows = flows
        self.reports = reports
        var reader = FlowReader()
        for file in Self.files(in: flows, except: reports) { _ = reader.flows(in: file) }
        others = Set(app(nil) + reader.namedFiles.flatMap(app))
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

    /// Checks that no report would replace one of the files, or another file of flows.
    /// - Throws: `ValidationError`, which names the report.
    func refuseReports() throws {
        try reports.refuse(inputs: others.union(flows))
        // A folder of flows can contain the report of an earlier run, which is no flow.
        let replaced = Self.files(in: flows, except: []).filter { file in
            reports.contains { file.isSameFile(as: $0) }
        }
        try reports.refuse(
            inputs: replaced.filter { file in
                var reader = FlowReader()
                return !reader.flows(in: file).isEmpty
            })
    }

    /// Returns the flow files at these paths and in these folders. Skips paths that do not exist
    /// now, and pipes, which can be read only once.
    private static func files(in paths: [String], except reports: [String]) -> [String] {
        paths.flatMap { (try? FlowRunner.files(in: [$0], except: reports)) ?? [] }
            .filter { $0.status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }
    }
}

extension [String] {
    /// Checks that none of these paths of files to write names a file that the command reads.
    /// - Parameter kind: the word for a file to write in the error message.
    /// - Throws: `ValidationError`, which names the file to write.
    func refuse(inputs: some Sequence<String>, as kind: String = "report") throws {
        for output in self {
            guard let input = inputs.first(where: { $0.isSameFile(as: output) }) else { continue }
            throw ValidationError(
                "the \(kind) \(output) would replace \(RelativePath.shown(input)), which the command "
                    + "reads: name another file")
        }
    }
}

extension String {
    /// Returns whether two paths name the same file, if it exists also by a link.
    func isSameFile(as other: String) -> Bool {
        guard let one = fileNumber, let two = other.fileNumber else {
            return RelativePath.shown(self) == RelativePath.shown(other)
        }
        return one == two
    }

    /// The numbers of the file's device and inode; nil if no file has this path.
    private var fileNumber: [UInt64]? {
        status.map { [UInt64($0.st_dev), UInt64($0.st_ino)] }
    }

    /// The status of the file, also behind a link; nil if no file has this path.
    fileprivate var status: stat? {
        var status = stat()
        return stat(self, &status) == 0 ? status : nil
    }
}
