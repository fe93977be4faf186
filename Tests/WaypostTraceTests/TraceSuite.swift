import AppDefinition
import AppLoading
import Flows
import Foundation
import TestSupport
import Testing
import WaypostTrace

/// A suite of tests that write and read traces.
protocol TraceSuite {
    var folder: TemporaryFolder { get }
}

extension TraceSuite {
    /// Compares a trace with a storyboard.
    /// - Parameter storyboard: the path of the storyboard; nil for the Library.
    func verify(_ text: String, storyboard: String? = nil) async throws -> FlowResult {
        let file = try folder.write(text, to: "trace.jsonl")
        let trace = try #require(try TraceReader.read([file]).first)
        let app = try AppFiles(storyboard: storyboard).load().app
        return try await TraceRun.run(
            trace, of: LocalApp(app), coverage: Coverage(app.storyboard))
    }

    /// Returns the lines that a walk through the Library writes.
    func walk(
        _ fault: SimulatedApp.Fault? = nil, lifecycle: TraceRecorder.Lifecycle = .native,
        scenes: [String: String] = [:],
        callbacks: [TraceRecorder.Callback] = TraceRecorder.Callback.standard
    ) -> String {
        let names = Dictionary(uniqueKeysWithValues: scenes.map { ($0.value, $0.key) })
        func name(_ scene: String) -> String { names[scene] ?? scene }
        var text = ""
        let recorder = TraceRecorder(
            app: "Library", lifecycle: lifecycle, scenes: scenes, callbacks: callbacks
        ) { text += $0 }
        let app = SimulatedApp(recorder, fault: fault)
        app.launch(name("userAuth"), "Log In")
        app.setRoot(name("authors"), "Authors", after: .signUp("ada"))
        app.back()
        app.select("Jules Verne", shows: name("books"))
        app.select("From the Earth to the Moon", shows: name("cover"))
        app.back()
        app.back(isRecorded: false)
        app.finish()
        return text
    }

    func defects(_ text: String, scenes: [String]? = nil) throws -> [String] {
        let file = try folder.write(text, to: "trace.jsonl")
        do throws(FlowDefects) {
            _ = try TraceReader.read([file], scenes: scenes)
            return []
        } catch {
            return error.defects.map {
                $0.description.replacing(file, with: "trace.jsonl")
            }
        }
    }
}
