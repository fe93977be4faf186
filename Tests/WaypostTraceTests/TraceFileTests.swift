import AppDefinition
import AppLoading
import Flows
import Foundation
import TestSupport
import Testing
import WaypostTrace

@Suite("Files of traces") struct TraceFileTests: TraceSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A scene of the first line that the storyboard does not have is a mistake")
    func mappedToNoScene() throws {
        let text = """
            {"waypostTrace": 1, "scenes": {"PlayerVC": "playr", "HomeVC": "home"}}
            {"stack": ["Home"]}
            """
        #expect(
            try defects(text, scenes: ["home", "player"]) == [
                "trace.jsonl:1:1: scenes: PlayerVC is mapped to playr, which is no scene of the "
                    + "storyboard; did you mean player?"
            ])
        #expect(try defects(text, scenes: ["home", "playr"]) == [])
    }

    @Test(
        "A broken trace is refused with the line, the defect and the mend",
        arguments: [
            ("", #"1:1: is empty: the first line of a trace is `{"waypostTrace": 1, "app": "…"}`"#),
            ("{}", #"1:1: is not a trace: the first line begins with `{"waypostTrace": 1`"#),
            (
                #"{"waypostTrace": 2}"#,
                "1:1: the format has the version 2, and this program reads version 1"
            ),
            (
                #"{"waypostTrace": 1}"#,
                "1:1: has no step: write a line for each step after the first line"
            ),
            (
                #"{"waypostTrace": 1"#,
                "1:18: '}' expected near end of file: each line of a trace is one JSON object"
            ),
            (
                "{\"waypostTrace\": 1}\n\n{\"stack\": []}\n[]",
                "4:1: expected an object, found an array: each line of a trace is one JSON object"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"stack\": [}",
                "2:12: unexpected token: each line of a trace is one JSON object"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"did\": {\"selct-row\": \"Books\"}}",
                "2:1: did: unknown key selct-row of a step; did you mean select-row?"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"did\": \"restart\"}",
                "2:1: did: only flows can have the step restart"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"callbacks\": [\"viewDidApear books\"]}",
                "2:1: viewDidApear is not a callback; did you mean viewDidAppear or viewDidLoad or "
                    + "viewWillAppear?"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"stak\": []}",
                "2:1: stak is not a member of a step; did you mean stack or tab?"
            ),
            (
                "{\"waypostTrace\": 1, \"lifecycle\": \"nativ\"}\n{\"stack\": []}",
                "1:1: lifecycle: expected native or forwarded, found nativ"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"stack\": 7}",
                #"2:1: stack: expected a list such as [{"scene": "books", "title": "Jules Verne"}], "#
                    + "found 7"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"layers\": \"Authors\"}",
                "2:1: layers: expected a number, or a list of titles, found Authors"
            ),
            (
                "{\"waypostTrace\": 1, \"app\": 7}\n{\"stack\": []}",
                "1:1: app: expected a text, found 7"
            ),
            (
                "{\"waypostTrace\": 1, \"callbacks\": \"viewDidLoad\"}\n{\"stack\": []}",
                "1:1: callbacks: expected the names of callbacks, found viewDidLoad"
            ),
            (
                "{\"waypostTrace\": 1, \"scenes\": {\"HomeController\": 1}}\n{\"stack\": []}",
                "1:1: scenes: expected the storyboard's scenes by the app's names, as in "
                    + #"`{"BooksController": "books"}`, found { HomeController: 1 }"#
            ),
            (
                "{\"waypostTrace\": 1}\n"
                    + #"{"did": {"back": null, "refused": "no-back-button"}}"#,
                "2:1: did: only flows can have the keys expect and refused"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"callbacks\": \"viewDidLoad books\"}",
                "2:1: callbacks: expected a list such as [\"viewDidLoad books\"], found a string"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"callbacks\": [\"viewDidLoad\"]}",
                "2:1: callbacks: expected a callback and a scene, as in viewDidLoad books, found "
                    + "viewDidLoad"
            ),
            (
                "{\"waypostTrace\": 1}\n{\"layers\": null}",
                "2:1: layers: expected a number, or a list of titles, found null"
            ),
        ])
    func brokenTraces(text: String, defect: String) throws {
        #expect(try defects(text) == ["trace.jsonl:\(defect)"])
    }

    @Test("A trace can begin with a byte order mark") func byteOrderMark() throws {
        #expect(try defects("\u{FEFF}{\"waypostTrace\": 1}\n{\"stack\": []}") == [])
    }

    @Test("All defects of a trace are reported")
    func allDefects() throws {
        let text = "{\"waypostTrace\": 1, \"ap\": 1}\n{\"did\": \"bak\"}\n{\"title\": 1}\nno"
        #expect(try defects(text).map { $0.split(separator: ":")[1] } == ["4", "1", "2", "3"])
    }
}
