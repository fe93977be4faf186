import AppDefinition
import AppLoading
import Flows
import TestSupport
import Testing
import WaypostTrace

@Suite("Traces of an app on a version of iOS") struct UIKitVersionTests: TraceSuite {
    let folder: TemporaryFolder
    private let storyboard: String

    init() throws {
        folder = try TemporaryFolder()
        storyboard = try folder.write(
            """
            {
              "name": "Notes", "initialScene": "tabs",
              "scenes": {
                "tabs": {
                  "kind": "tabBar",
                  "tabs": [
                    {"title": "A", "scene": "a"}, {"title": "B", "scene": "b"},
                    {"title": "C", "scene": "closed", "shouldSelect": false},
                    {"title": "D", "scene": "closed", "shouldSelect": false, "whenRefused": "sheet"}
                  ]
                },
                "a": {"kind": "navigation", "root": "list"},
                "b": {"kind": "navigation", "root": "other"},
                "list": {
                  "kind": "blank", "title": "List",
                  "segues": [
                    {"identifier": "note", "kind": "show", "scene": "note"},
                    {"identifier": "sheet", "kind": "present", "scene": "sheet"}
                  ]
                },
                "other": {"kind": "blank", "title": "Other"},
                "closed": {"kind": "blank", "title": "Closed"},
                "note": {"kind": "blank", "title": "Note"},
                "sheet": {"kind": "blank", "title": "Sheet", "presentation": "pageSheet"}
              }
            }
            """, to: "storyboard.json")
    }

    private func verify(_ text: String) async throws -> FlowResult {
        try await verify(text, storyboard: storyboard)
    }

    /// Returns the lines of a recorder that has recorded the launch and then `steps`.
    private func record(
        uikit: Int? = nil, callbacks: [TraceRecorder.Callback] = TraceRecorder.Callback.standard,
        _ steps: (TraceRecorder) -> Void
    ) -> String {
        var text = ""
        let recorder = TraceRecorder(app: "Notes", uikit: uikit, callbacks: callbacks) {
            text += $0
        }
        recorder.called(.viewDidLoad, on: "list")
        recorder.called(.viewWillAppear, on: "list")
        recorder.called(.willShow, on: "list")
        if callbacks.contains(.viewIsAppearing) { recorder.called(.viewIsAppearing, on: "list") }
        recorder.called(.viewDidAppear, on: "list")
        recorder.called(.didShow, on: "list")
        recorder.shows(TraceScreen([.init("list")]))
        steps(recorder)
        recorder.finish()
        return text
    }

    private func call(
        _ callbacks: [(TraceRecorder.Callback, String)], _ recorder: TraceRecorder
    ) {
        for (callback, scene) in callbacks { recorder.called(callback, on: scene) }
    }

    private func switchTab(_ recorder: TraceRecorder, crossFades: Bool) {
        recorder.did(.tapTab("B"))
        call(
            [
                (.viewDidLoad, "other"), (.viewWillAppear, "other"), (.willShow, "other"),
                (.viewWillDisappear, "list"),
            ]
                + (crossFades
                    ? [
                        (.viewDidAppear, "other"), (.didShow, "other"),
                        (.viewDidDisappear, "list"),
                    ]
                    : [
                        (.viewDidDisappear, "list"), (.viewDidAppear, "other"),
                        (.didShow, "other"),
                    ]),
            recorder)
        recorder.shows(TraceScreen([.init("other")], tab: "B"))
    }

    private func push(_ recorder: TraceRecorder, isRecorded: Bool = true) {
        if isRecorded { recorder.did(.segue("note")) }
        call(
            [
                (.viewDidLoad, "note"), (.viewWillDisappear, "list"), (.viewWillAppear, "note"),
                (.willShow, "note"), (.viewDidDisappear, "list"), (.viewDidAppear, "note"),
                (.didShow, "note"),
            ], recorder)
        recorder.shows(TraceScreen([.init("list"), .init("note")]))
    }

    private func cancelSwipe(_ recorder: TraceRecorder, isRecorded: Bool) {
        call(
            [(.viewWillDisappear, "note"), (.viewWillAppear, "list"), (.willShow, "list")],
            recorder)
        if isRecorded { recorder.did(.swipeBack(completed: false)) }
        call(
            [
                (.viewWillDisappear, "list"), (.viewDidDisappear, "list"),
                (.viewWillAppear, "note"), (.viewDidAppear, "note"),
            ], recorder)
        recorder.shows(TraceScreen([.init("list"), .init("note")]))
    }

    @Test(
        "The version of the first line decides which order of a switch of tabs is right",
        arguments: [
            (nil, true, .passed), (nil, false, .failed), (18, true, .passed),
            (18, false, .failed), (17, true, .failed), (17, false, .passed),
        ] as [(Int?, Bool, FlowResult.Status)])
    func switchOfTabs(uikit: Int?, crossFades: Bool, expected: FlowResult.Status) async throws {
        let text = record(uikit: uikit) { switchTab($0, crossFades: crossFades) }
        #expect(text.contains("uikit") == (uikit != nil))
        #expect(try await verify(text).status == expected)
    }

    @Test(
        "A cancelled swipe from the left edge is found, recorded as an action or not",
        arguments: [true, false])
    func cancelledSwipe(isRecorded: Bool) async throws {
        let text = record {
            push($0)
            cancelSwipe($0, isRecorded: isRecorded)
        }
        let result = try await verify(text)
        #expect(result.failure?.reason == nil)
        #expect(
            result.steps.map(\.step.text) == [
                "(launch)", "perform-segue: note",
                isRecorded
                    ? "swipe-back: cancelled" : "(not recorded: swipe-back: cancelled)",
            ])
    }

    @Test("A segue of the app's code that is not recorded is inferred from the stack")
    func inferredSegue() async throws {
        let result = try await verify(record { push($0, isRecorded: false) })
        #expect(result.failure?.reason == nil)
        #expect(
            result.steps.map(\.step.text)
                == ["(launch)", "(not recorded: perform-segue: note)"])
    }

    @Test("A completed swipe from the left edge pops") func completedSwipe() async throws {
        let text = record { recorder in
            push(recorder)
            recorder.did(.swipeBack())
            call(
                [
                    (.viewWillDisappear, "note"), (.viewWillAppear, "list"),
                    (.willShow, "list"), (.viewDidDisappear, "note"), (.viewDidAppear, "list"),
                    (.didShow, "list"),
                ], recorder)
            recorder.shows(TraceScreen([.init("list")]))
        }
        #expect(text.contains(#"{"did":"swipe-back","#))
        let result = try await verify(text)
        #expect(result.failure?.reason == nil)
        #expect(result.status == .passed)
    }

    @Test("The callbacks of a swipe down are compared though the storyboard does not log them")
    func swipeDown() async throws {
        func trace(_ end: [TraceRecorder.Callback]) -> String {
            record(callbacks: TraceRecorder.Callback.allCases) { recorder in
                recorder.did(.segue("sheet"))
                call(
                    [
                        (.viewDidLoad, "sheet"), (.viewWillAppear, "sheet"),
                        (.viewIsAppearing, "sheet"), (.viewDidAppear, "sheet"),
                    ], recorder)
                recorder.shows(TraceScreen([.init("sheet")], layers: 2))
                recorder.did(.swipeDown)
                call(end.map { ($0, "sheet") }, recorder)
                recorder.shows(TraceScreen([.init("list")], layers: 1))
            }
        }
        let right: [TraceRecorder.Callback] = [
            .presentationControllerShouldDismiss, .presentationControllerWillDismiss,
            .viewWillDisappear, .viewDidDisappear, .presentationControllerDidDismiss,
        ]
        let result = try await verify(trace(right))
        #expect(result.failure?.reason == nil)
        #expect(result.status == .passed)
        #expect(
            try await verify(trace(right.dropLast())).failure?.reason
                == "the callback presentationControllerDidDismiss sheet is missing")
    }

    @Test("The callbacks of a tap on a tab are compared") func tapOnTab() async throws {
        let text = record(callbacks: TraceRecorder.Callback.standard + [.shouldSelect, .didSelect])
        { recorder in
            recorder.did(.tapTab("A"))
            call([(.shouldSelect, "list"), (.didSelect, "list")], recorder)
            recorder.shows(TraceScreen([.init("list")], tab: "A"))
        }
        let result = try await verify(text)
        #expect(result.failure?.reason == nil)
        #expect(result.status == .passed)
    }

    @Test("The callback of a refused tap on a tab is compared if a segue follows, else accepted")
    func refusedTap() async throws {
        func trace(_ asked: String, _ callbacks: [TraceRecorder.Callback]) -> String {
            record(callbacks: callbacks) { recorder in
                recorder.did(.tapTab("C"))
                call([(.shouldSelect, "closed")], recorder)
                recorder.shows(TraceScreen([.init("list")], tab: "A"))
                recorder.did(.tapTab("D"))
                call(
                    [
                        (.shouldSelect, asked), (.viewDidLoad, "sheet"),
                        (.viewWillAppear, "sheet"), (.viewDidAppear, "sheet"),
                    ], recorder)
                recorder.shows(TraceScreen([.init("sheet")], layers: 2))
            }
        }
        let all = TraceRecorder.Callback.standard + [.shouldSelect, .didSelect]
        for callbacks in [all, TraceRecorder.Callback.standard] {
            let result = try await verify(trace("closed", callbacks))
            #expect(result.failure?.reason == nil)
            #expect(result.status == .passed)
        }
        #expect(
            try await verify(trace("list", all)).failure?.reason
                == "the callback shouldSelect closed is missing, and the callback shouldSelect list is "
                + "not expected")
    }

    @Test("A version without known rules is refused", arguments: ["12", "27", "\"18\""])
    func unknownVersion(value: String) throws {
        let file = try folder.write(
            "{\"waypostTrace\": 1, \"uikit\": \(value)}\n{\"stack\": []}", to: "trace.jsonl")
        #expect {
            try TraceReader.read([file])
        } throws: { error in
            (error as? FlowDefects)?.defects.map(\.description) == [
                "\(file):1:1: uikit: expected a version of iOS from 13 to 26, found \(value)"
            ]
        }
    }
}
