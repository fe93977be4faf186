import AppDefinition
import Foundation
import NavigationRules
import WaypostAPI

/// Selects flows (scripted tests) and runs them in parallel.
package struct FlowRunner: Sendable {
    /// Opens a session in which a flow (a scripted test) can run.
    /// - Returns: the driver of the session, or the reason why the flow is skipped.
    package typealias Open = @Sendable (Flow) async throws -> Opened

    package enum Opened {
        case session(any FlowDriver)
        case skipped(String)
    }

    private let open: Open
    /// The maximum number of flows that run at the same time.
    package var jobs = ProcessInfo.processInfo.activeProcessorCount
    package var stopsAtFailure = false
    /// Whether a flow continues after an expectation that is not met.
    package var goesOn = false

    package init(_ open: @escaping Open) { self.open = open }

    // MARK: Selection

    /// Returns the flows that have at least one of the tags; all flows if `tags` is empty.
    package static func selecting(_ flows: [Flow], tags: [String]) -> [Flow] {
        tags.isEmpty ? flows : flows.filter { !Set($0.tags).isDisjoint(with: tags) }
    }

    /// Returns the flows of one shard, so that several machines can share a run. There are `count`
    /// shards, numbered from 1. Each flow belongs to exactly one shard.
    package static func selecting(_ flows: [Flow], shard: Int, of count: Int) -> [Flow] {
        flows.enumerated().filter { $0.offset % count == shard - 1 }.map(\.element)
    }

    /// Returns the paths of flow files. A path in `paths` names a file or a folder. A folder stands
    /// for its YAML and JSON files, also in subfolders, sorted by name. Names in a folder that
    /// begin with `.` or `_` are left out. Links are followed.
    /// - Parameter reports: the report files that `waypost test` writes, which are left out if a
    ///   folder in `paths` contains them.
    /// - Throws: `FlowFailure` for a path that does not exist, `FileFailure` for a folder that
    ///   cannot be read.
    package static func files(in paths: [String], except reports: [String] = []) throws -> [String]
    {
        let reports = Set(reports.map { URL(filePath: $0).resolvingSymlinksInPath() })
        var files: [String] = []
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0 else {
                throw errno == ENOENT
                    ? FlowFailure("\(path): no file or folder has this name")
                    : FileFailure(reading: path, errno)
            }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                files.append(path)
                continue
            }
            var read: Set<URL> = []
            files += try self.files(inFolder: path, &read).sorted().filter {
                !reports.contains(URL(filePath: $0).resolvingSymlinksInPath())
            }
        }
        return files
    }

    /// - Parameter read: the folders that have been read, by their paths without links. A link can
    ///   lead to one of them.
    private static func files(
        inFolder folder: String, _ read: inout Set<URL>
    ) throws -> [String] {
        guard read.insert(URL(filePath: folder).resolvingSymlinksInPath()).inserted else {
            return []
        }
        guard access(folder, R_OK | X_OK) == 0 else { throw FileFailure(reading: folder, errno) }
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        var files: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where !name.hasPrefix(".") && !name.hasPrefix("_") {
            let path = start + name
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                isFolder.boolValue
            {
                files += try self.files(inFolder: path, &read)
            } else if ["yaml", "yml", "json"].contains((name as NSString).pathExtension) {
                files.append(path)
            }
        }
        return files
    }

    // MARK: Run

    /// Runs flows in parallel.
    /// - Parameter note: called with the result of each flow as soon as the flow ends, but not for
    ///   flows that never start because a flow failed and `stopsAtFailure` is true.
    /// - Returns: the results in the order of the flows.
    package func run(
        _ flows: [Flow], note: (FlowResult) -> Void = { _ in }
    ) async -> [FlowResult] {
        var results = [FlowResult?](repeating: nil, count: flows.count)
        var waiting = flows.enumerated().makeIterator()
        await withTaskGroup(of: (Int, FlowResult).self) { group in
            func startNext() {
                guard let (index, flow) = waiting.next() else { return }
                group.addTask { (index, await result(of: flow)) }
            }
            for _ in 0..<max(1, min(jobs, flows.count)) { startNext() }
            var isStopped = false
            for await (index, result) in group {
                results[index] = result
                note(result)
                if stopsAtFailure, result.status == .failed { isStopped = true }
                if !isStopped { startNext() }
            }
        }
        return zip(flows, results).map { $1 ?? .unstarted($0, skipped: "an earlier flow failed") }
    }

    private func result(of flow: Flow) async -> FlowResult {
        do {
            switch try await open(flow) {
            case .session(let driver): return await FlowRun.run(flow, on: driver, goesOn: goesOn)
            case .skipped(let reason): return .unstarted(flow, skipped: reason)
            }
        } catch {
            return .unstarted(flow, failure: Failure(step: 0, reason: "\(error)"))
        }
    }
}

/// The apps that flows (scripted tests) test in this process, without a server. Each app is loaded
/// once.
package struct LocalApps: Sendable {
    private let storyboard: String?
    private let apps: [Key: LocalApp]
    /// The coverages by the path of the storyboard; the empty one is that of the built-in app.
    private let coverages: [String: Coverage]

    /// The coverage of each storyboard that the flows test, sorted by its path.
    package var coverage: [Coverage] { coverages.sorted { $0.key < $1.key }.map(\.value) }

    /// Loads the apps that the flows name.
    /// - Parameters:
    ///   - storyboard: the path of the default storyboard; nil for the built-in one.
    ///   - load: returns the app whose storyboard is at a path; nil stands for the default
    ///     storyboard.
    package init(
        _ flows: [Flow], storyboard: String? = nil, load: (String?) throws -> App
    ) throws {
        self.storyboard = storyboard
        var apps: [Key: LocalApp] = [:]
        for path in Set(flows.map(\.app)) {
            let key = Key(path ?? storyboard)
            if apps[key] == nil { apps[key] = try LocalApp(load(path)) }
        }
        self.apps = apps
        // Apps with one storyboard and different data have the same parts.
        coverages = Dictionary(
            apps.map { ($0.key.storyboard, Coverage($0.value.app.storyboard)) },
            uniquingKeysWith: { one, _ in one })
    }

    /// A runner that opens each session in this process, without a server.
    package var runner: FlowRunner {
        FlowRunner { flow in
            let key = Key(flow.app ?? storyboard)
            guard let app = apps[key] else { throw FlowFailure("the app is not loaded") }
            return .session(
                try await LocalDriver(
                    app, lifecycle: flow.lifecycle, isStrict: flow.isStrict, flags: flow.flags,
                    coverage: coverages[key.storyboard]))
        }
    }

    /// The app of a storyboard. Flows can spell the path of the storyboard differently. The paths of
    /// its data are relative to the folder in which it is named, also by a link.
    private struct Key: Hashable {
        /// Paths without links; empty for the built-in app.
        let storyboard, folder: String

        init(_ path: String?) {
            let file = path.map { URL(filePath: $0) }
            storyboard = file?.resolvingSymlinksInPath().path ?? ""
            folder = file?.deletingLastPathComponent().resolvingSymlinksInPath().path ?? ""
        }
    }
}

extension RemoteService {
    /// Returns a runner that opens each session in this running service. The runner skips a flow
    /// that tests another app or has a `restart` step.
    /// - Parameters:
    ///   - app: the path of the storyboard of flows that name none; nil if these flows test
    ///     whatever app the service runs.
    ///   - load: returns the storyboard at a path.
    /// - Throws: an error of `load`.
    package func runner(
        of flows: [Flow], storyboard app: String? = nil, load: (String) throws -> Storyboard
    ) throws -> FlowRunner {
        let paths = Set(flows.compactMap { $0.app ?? app })
        let wanted = Dictionary(
            uniqueKeysWithValues: try paths.map { ($0, try load($0)) })
        return FlowRunner { flow in
            // Two storyboards can have the same name.
            if let path = flow.app ?? app, let wanted = wanted[path],
                wanted.entityTag != storyboardTag
            {
                let name = wanted.name == storyboard ? "another \(storyboard)" : storyboard
                return .skipped("the service runs \(name), the flow needs \(path)")
            }
            if flow.steps.contains(where: { $0.action == .restart }) {
                return .skipped("restart runs in the process alone")
            }
            return .session(
                try HTTPDriver(
                    self, lifecycle: flow.lifecycle?.rawValue, isStrict: flow.isStrict,
                    flags: flow.flags))
        }
    }
}
