import AppDefinition
import AppLoading
import Foundation
import JSON
import NavigationRules
import TestSupport
import Testing
import WaypostTesting

@testable import Flows

/// Writes flow files into a folder of their own.
struct FlowFolder {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func path(_ name: String) -> String { folder.file(name) }

    @discardableResult
    func write(_ text: String, _ name: String = "flow.yaml") throws -> String {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        return path(name)
    }

    func text(_ name: String = "flow.yaml") throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// The defects of a flow file, without the folder.
    func defects(_ text: String) throws -> [String] {
        var reader = FlowReader()
        _ = reader.flows(in: try write(text))
        return reader.defects.map {
            $0.description.replacing(path(""), with: "").replacing("//", with: "/")
        }
    }
}

/// Loads a storyboard; nil for the Library.
func loadApp(_ path: String?) throws -> App {
    try AppFiles(storyboard: path).load().app
}

/// Returns a runner of these flows against a running service.
/// - Parameter storyboard: the path of the storyboard of flows that name none; nil for any.
func runner(
    of flows: [Flow], storyboard: String? = nil, against service: TestService
) throws -> FlowRunner {
    try RemoteService(service.base.absoluteString)
        .runner(of: flows, storyboard: storyboard) { try loadApp($0).storyboard }
}

/// Runs flows against a running service.
func run(_ file: String, against service: TestService) async throws -> [FlowResult] {
    let flows = try FlowReader.read([file])
    return try await runner(of: flows, against: service).run(flows)
}

/// Runs flows in the process.
func runLocally(_ file: String, goesOn: Bool = false) async throws -> [FlowResult] {
    let flows = try FlowReader.read([file])
    var runner = try LocalApps(flows, load: loadApp).runner
    runner.goesOn = goesOn
    return await runner.run(flows)
}

extension JSONObject {
    init(_ members: KeyValuePairs<String, JSONValue>) {
        self.init(pairs: members.map { ($0.key, $0.value) })
    }
}
