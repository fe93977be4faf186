import AppDefinition
import AppLoading
import Flows
import Foundation
import TestSupport
import Testing
import WaypostTrace

@Suite("The recorder of traces") struct TraceRecorderTests: TraceSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A recorder writes JSON with each character escaped that needs it")
    func escapes() throws {
        var lines: [String] = []
        let recorder = TraceRecorder(app: "\"A\\\n\u{1}\u{2028}é😀\"", username: "ada") {
            lines.append($0)
        }
        recorder.did(.selectRow(3))
        recorder.shows(
            TraceScreen(
                [.init("a", title: "A"), .init("b")], back: "A", tab: "Shop", layers: 2,
                rows: ["x", "y"]))
        recorder.finish()
        recorder.finish()
        #expect(
            lines == [
                #"{"waypostTrace":1,"app":"\"A\\\u000a\u0001\u2028é😀\"","lifecycle":"native","#
                    + "\"username\":\"ada\"}\n",
                #"{"did":{"select-row":{"row":3}},"callbacks":[],"stack":[{"scene":"a","title":"A"},"#
                    + #"{"scene":"b"}],"back":"A","tab":"Shop","layers":2,"rows":["x","y"]}"#
                    + "\n",
            ])
        for line in lines {
            _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
        }
    }

    @Test(
        "Each action of a recorder is one that a trace can have",
        arguments: [
            .back, .swipeBack(), .swipeBack(completed: false), .select("a"), .selectRow(0),
            .tap("a"), .tapTab("a"), .selectSegment("a"),
            .open("/authors"), .segue("a"), .unwind("a"), .swipeDown, .logIn("ada"),
            .signUp("ada"), .logOut, .push("authors"), .pop, .popToRoot, .present("authors"),
            .dismiss, .setFlags(["subscribed": true]),
        ] as [TraceAction])
    func actions(action: TraceAction) throws {
        var text = ""
        let recorder = TraceRecorder(app: "Library") { text += $0 }
        recorder.did(action)
        recorder.finish()
        #expect(try defects(text).isEmpty)
    }
}
