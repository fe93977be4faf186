import Foundation
import JSON
import Testing

@testable import Flows

@Suite struct FlowFileTests {
    @Test("A flow has the steps, expectations and settings of its file") func flow() throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            name: A walk
            lifecycle: native
            strict: true
            tags: [smoke, books]
            steps:
              - sign-up: ada
              - select-row: 1984
                refused: row-out-of-range
              - back
              - swipe-back: cancelled
              - push: { scene: cover, parameters: { author: a, book: b } }
                expect: { title: 1984, stack: [Authors, { scene: cover }] }
            ---
            name: Another
            steps: [back]
            """)
        let flows = try FlowReader.read([file])
        #expect(flows.map(\.name) == ["A walk", "Another"])
        let flow = flows[0]
        #expect(
            flow.lifecycle == .native && flow.isStrict == true && flow.tags == ["smoke", "books"])
        #expect(
            flow.steps.map(\.action) == [
                .signUp(Step.AccountName(username: "ada")),
                .operation("select-row", JSONObject(["title": .string("1984")])),
                .operation("back", JSONObject()),
                .operation("swipe-back", JSONObject(["completed": .boolean(false)])),
                .operation(
                    "push",
                    JSONObject([
                        "scene": .string("cover"),
                        "parameters": .object(
                            JSONObject(["author": .string("a"), "book": .string("b")])),
                    ])),
            ])
        #expect(flow.steps[1].refused == "row-out-of-range")
        #expect(flow.steps[4].expectations[0].value == .string("1984"))
        #expect(flow.steps[4].expectations[0].place.line == 12)
        #expect(flow.steps[4].expectations[0].place.column == 22)
    }

    @Test("A JSON file is a flow too") func json() throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            #"{"name": "J", "steps": [{"open": "/authors"}, "back"]}"#, "flow.json")
        #expect(try FlowReader.read([file])[0].steps.map(\.text) == ["open: /authors", "back"])
    }

    @Test("Steps that a flow uses need not be able to fail, but one of all its steps has to")
    func usedSteps() throws {
        let folder = try FlowFolder()
        try folder.write("name: Used\nsteps: [restart]", "used.yaml")
        let defects = try folder.defects("name: A\nsteps: [{use: used.yaml}]")
        #expect(defects.count == 1)
        #expect(defects.first?.contains("flow.yaml:2:8: this flow can never fail") == true)
        #expect(try folder.defects("name: A\nsteps: [back, {use: used.yaml}]").isEmpty)
        try folder.write("name: Used\nsteps: [back]", "used.yaml")
        #expect(try folder.defects("name: A\nsteps: [{use: used.yaml}]").isEmpty)
    }

    @Test(
        "Aliases that would stand for gigabytes are refused before they are expanded",
        .timeLimit(.minutes(1)), arguments: ["z: *k\n", "? *k\n: 1\n", "*k : 1\n"])
    func bomb(end: String) throws {
        let folder = try FlowFolder()
        let lists = zip("bcdefghijk", "abcdefghij").map { name, before in
            "\(name): &\(name) [\(Array(repeating: "*\(before)", count: 10).joined(separator: ","))]\n"
        }
        let text = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + lists.joined() + end
        let found = try folder.defects(text)
        #expect(found.count == 1)
        #expect(
            found[0].hasSuffix(
                "flow.yaml:1:4: the anchor &a is not allowed: write the value at each place that "
                    + "needs it"))
    }

    @Test("Ampersands and asterisks in texts are no anchors and aliases") func ampersands() throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            name: "&a *a"
            tags: [R&D, a *b, 'x &y *y'] # &c *c
            steps:
              - tap: >-
                  Q & A
                  &a *a
            """)
        let flow = try FlowReader.read([file])[0]
        #expect(flow.name == "&a *a" && flow.tags == ["R&D", "a *b", "x &y *y"])
        #expect(flow.steps.map(\.text) == [#"tap: Q & A &a *a"#])
    }

    @Test("The steps of a used file take the place of the step") func use() throws {
        let folder = try FlowFolder()
        try folder.write("name: Log in\nsteps: [{sign-up: ada}, back]", "log-in.yaml")
        let file = try folder.write("name: A\nsteps:\n  - use: log-in.yaml\n  - pop")
        let steps = try FlowReader.read([file])[0].steps
        #expect(steps.map(\.text) == ["sign-up: ada", "back", "pop"])
        #expect(steps[0].place.file.hasSuffix("log-in.yaml"))
    }

    @Test("A step uses one of several flows of a file by its name") func useOfOne() throws {
        let folder = try FlowFolder()
        let several = "name: A\nsteps: [back]\n---\nname: B and C\nsteps: [pop]\n"
        try folder.write(several, "several.yaml")
        let file = try folder.write("name: A\nsteps:\n  - use: several.yaml#B and C", "one.yaml")
        #expect(try FlowReader.read([file])[0].steps.map(\.text) == ["pop"])
        try folder.write(several, "a#B.yaml")
        let defects = try ["several.yaml", "several.yaml#D", "a#B.yaml#D"].flatMap {
            try folder.defects("name: A\nsteps: [{use: \"\($0)\"}]")
        }
        #expect(
            defects.map { $0.replacing("/", with: "") } == [
                "flow.yaml:2:15: several.yaml has several flows: name one flow, as in "
                    + "`use: several.yaml#NAME`",
                "flow.yaml:2:15: several.yaml has no flow named D: name one flow, as in "
                    + "`use: several.yaml#NAME`",
                "flow.yaml:2:15: a#B.yaml has no flow named D: name one flow, as in "
                    + "`use: a#B.yaml#NAME`",
            ])
    }

    @Test("A step can use a flow whose name has a number sign") func useOfNumber() throws {
        let folder = try FlowFolder()
        try folder.write("name: 'Issue #12'\nsteps: [pop]\n---\nname: B\nsteps: [back]", "a#b.yaml")
        let file = try folder.write("name: A\nsteps:\n  - use: 'a#b.yaml#Issue #12'")
        #expect(try FlowReader.read([file])[0].steps.map(\.text) == ["pop"])
    }

    @Test("A flow can use another one of the same file") func sameFile() throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            "name: A\nsteps: [back]\n---\nname: B\nsteps: [{use: two.yaml#A}, pop]", "two.yaml")
        let flows = try FlowReader.read([file]).map { $0.steps.map(\.text) }
        #expect(flows == [["back"], ["back", "pop"]])
        try folder.write(
            "name: A\nsteps: [{use: two.yaml#B}]\n---\nname: B\nsteps: [{use: two.yaml#A}, pop]",
            "two.yaml")
        let defects = try folder.defects("name: C\nsteps: [{use: two.yaml#A}]")
        #expect(defects.first?.contains("a cycle of `use`: two.yaml → two.yaml → two.yaml") == true)
    }

    @Test(
        "A broken file is refused with line, column and the mend",
        arguments: [
            ("name: A\nstep: []", "flow.yaml:2:1: unknown key step of a flow; did you mean steps?"),
            (
                "name: A\nsteps:\n  - selct-row: 1",
                "flow.yaml:3:5: unknown key selct-row of a step; did you mean select-row?"
            ),
            (
                "name: A\nsteps:\n  - swipe-back: half",
                "flow.yaml:3:17: swipe-back takes only the word cancelled: write `swipe-back` or"
            ),
            (
                "name: A\naccounts: ada\nsteps: [back]",
                "flow.yaml:2:11: expected a list of user names, as in `[ada]`, found a string"
            ),
            (
                "name: A\naccounts: [x]\nsteps: [back]",
                "flow.yaml:2:11: the account \"x\": expected 3 to 64 characters"
            ),
            (
                "name: A\naccounts: [ada, Ada]\nsteps: [back]",
                "flow.yaml:2:11: the account Ada comes twice: remove one of them"
            ),
            (
                "name: A\nsteps: [{log-in: {username: ada, pasword: x}}]",
                "flow.yaml:2:34: unknown key pasword of an account; did you mean password?"
            ),
            ("name: A\nsteps: 5", "flow.yaml:2:8: expected a list of steps, found an integer"),
            ("name: [A]\nsteps: []", "flow.yaml:1:7: expected the name of the flow, found a list"),
            ("name: A", "flow.yaml:1:1: missing: add `steps`, a list"),
            ("name: A\nsteps: []", "flow.yaml:2:8: this flow can never fail: add a step"),
            ("name: A\nsteps: [restart, fork]", "flow.yaml:2:8: this flow can never fail: add"),
            ("name: A\nsteps: [{expect: {}}]", "flow.yaml:2:8: this flow can never fail: add"),
            ("steps: []", "flow.yaml:1:1: missing: add `name`"),
            ("", "flow.yaml:1:1: has no flow: write `name` and `steps`"),
            (
                "name: &a A\nsteps: []",
                "flow.yaml:1:7: the anchor &a is not allowed: write the value at each place"
            ),
            (
                "name: A\nsteps:\n  - &back back\n  - *back",
                "flow.yaml:3:5: the anchor &back is not allowed"
            ),
            ("name: A\nsteps: [*back]", "flow.yaml:2:9: found undefined alias"),
            ("name: 'A\nsteps: []", "flow.yaml:2:10: found unexpected end of stream"),
            (
                "name: A\nsteps:\n  - back\n    expect: { title: A }",
                "flow.yaml:4:11: mapping values are not allowed in this context: a key ends "
                    + "with a colon if further keys follow, as in `back:`"
            ),
            ("name: A\nname: B\nsteps: []", "comes twice: remove one of them"),
            ("name: A\nflags: {on: true, 'on': false}", "the key on comes twice"),
            (
                "name: A\napp: None.json\nsteps: []",
                "flow.yaml:2:6: no storyboard is at "
            ),
            (
                "name: A\nsteps:\n  - use: none.yaml",
                "flow.yaml:3:10: no flow file is at "
            ),
            (
                "name: A\nsteps:\n  - use: flow.yaml",
                "flow.yaml:3:10: a cycle of `use`: flow.yaml → flow.yaml; remove one of them"
            ),
            (
                "name: A\nsteps:\n  - back\n    # ok\n  - select-row: a\n    refused: row-out-of-rang",
                "flow.yaml:6:14: no problem has the code row-out-of-rang; did you mean "
                    + "row-out-of-range"
            ),
            (
                "name: A\nsteps:\n  - expect: { titel: Books }",
                "flow.yaml:3:15: unknown key titel to expect; did you mean title?"
            ),
            (
                "name: A\nsteps:\n  - expect: { changed: 3 }",
                "flow.yaml:3:24: changed: expected true or false, found 3"
            ),
            (
                "name: A\nsteps:\n  - expect: { events: [null] }",
                "flow.yaml:3:23: events: expected a list such as [viewDidLoad cover]"
            ),
            (
                "name: A\nsteps:\n  - push: { scenes: cover }",
                "flow.yaml:3:5: the body: expected either scene or viewController"
            ),
            (
                "name: A\nsteps:\n  - back\n  - { back: , pop: }",
                "flow.yaml:4:15: a step has one action: write pop as a step of its own"
            ),
            (
                "name: A\nsteps:\n  - revoke:\n    refused: wrong-password",
                "flow.yaml:4:14: revoke is never refused: remove `refused`"
            ),
            (
                "name: A\nsteps:\n  - restart:\n    refused: wrong-password",
                "flow.yaml:4:14: restart is never refused: remove `refused`"
            ),
            (
                "name: A\nsteps:\n  - fork:\n    refused: wrong-password",
                "flow.yaml:4:14: fork is never refused: remove `refused`"
            ),
            (
                "name: A\nsteps:\n  - expect: { title: A }\n    refused: wrong-password",
                "flow.yaml:4:14: a step without an action is never refused: remove `refused`"
            ),
            (
                "name: A\nsteps:\n  - patch: { viewController: \"@books\", title: A }\n    animated: true",
                "flow.yaml:4:15: patch is never animated: remove `animated`"
            ),
            (
                "name: A\nsteps:\n  - log-in: ada\n    animated: false",
                "flow.yaml:4:15: log-in is never animated: remove `animated`"
            ),
            (
                "name: A\nsteps:\n  - expect: { title: A }\n    animated: true",
                "flow.yaml:4:15: a step without an action is never animated: remove `animated`"
            ),
            (
                "name: A\nsteps:\n  - push: { scene: books, animated: true }\n    animated: false",
                "flow.yaml:4:15: the body of push has `animated`, too: remove one of them"
            ),
            (
                "name: A\nlifecycle: forward\nsteps: []",
                "flow.yaml:2:12: expected forwarded or native, found forward"
            ),
            (
                "name: A\nstrict: perhaps\nsteps: []",
                "flow.yaml:2:9: expected true or false, found perhaps"
            ),
            ("- back", "flow.yaml:1:1: expected a flow with `name` and `steps`, found a list"),
            (
                "name: A\nsteps:\n  - use: flow.yaml\n    refused: wrong-password",
                "flow.yaml:3:5: a step with `use` has no other keys: write them as another step"
            ),
            ("name: A\nsteps: [{}]", "flow.yaml:2:9: has no action: name one of "),
            (
                "name: A\nsteps:\n  - log-in: { password: x }",
                "flow.yaml:3:13: missing: write the user name, as in `log-in: ada`"
            ),
            ("name: A\nsteps:\n  - push: [a]", "flow.yaml:3:11: push takes no list"),
            (
                "name: A\nsteps:\n  - batch: [pop, log-out]",
                "flow.yaml:3:18: a batch has only operations"
            ),
            (
                "name: A\nsteps:\n  - batch: [{ pop: , expect: { title: A } }]",
                "flow.yaml:3:13: a batch has only operations"
            ),
            (
                "name: A\nsteps:\n  - expect: Books",
                "flow.yaml:3:13: expected the values to find, as in `{ title: Books }`, found a "
                    + "string"
            ),
            ("name: A\u{7}\nsteps: [back]", "flow.yaml:1:1: is neither YAML nor JSON: "),
        ])
    func broken(text: String, expected: String) throws {
        let defects = try FlowFolder().defects(text)
        #expect(
            defects.contains { $0.contains(expected) }, "\(defects.joined(separator: "\n"))")
    }

    @Test(
        "A value of another kind than its expectation has is refused with the kinds that it has",
        arguments: [
            ("title: [A]", "title: expected a text or null, found [A]"),
            (
                "pending: back",
                "pending: expected null, or an operation such as { tap-tab: { index: 2 } }, found "
                    + "back"
            ),
            ("rows: 5", "rows: expected a list of titles, or { count: 15 }, found 5"),
            ("rows: [[A]]", "rows: expected titles, found [[A]]"),
            ("stack: Books", "stack: expected a list of titles, found Books"),
            ("flags: [a]", "flags: expected flags, as in { subscribed: true }, found [a]"),
            ("flags: {}", "flags: expected flags, as in { subscribed: true }, found {}"),
            ("layers: Books", "layers: expected a number, or a list of titles, found Books"),
        ])
    func wrongValues(expectation: String, reason: String) throws {
        let defects = try FlowFolder().defects("name: A\nsteps:\n  - expect: { \(expectation) }")
        #expect(defects.count == 1)
        #expect(defects.first?.hasPrefix("/flow.yaml:3:") == true)
        #expect(defects.first?.hasSuffix(": \(reason)") == true, "\(defects)")
    }

    @Test("A file that is no text in UTF-8 is refused with the mend") func notUTF8() throws {
        let folder = try FlowFolder()
        try Data([0x6E, 0xFF, 0x0A]).write(to: URL(filePath: folder.path("flow.yaml")))
        let defects = #expect(throws: FlowDefects.self) {
            try FlowReader.read([folder.path("flow.yaml")])
        }
        #expect(
            defects?.defects.map(\.description)
                == ["\(folder.path("flow.yaml")):1:1: is not UTF-8: save it as UTF-8"])
    }

    @Test(
        "A step with the former name of an operation is refused with the present one",
        arguments: [
            ("select: 1", "select-row"), ("segue: a", "perform-segue"),
            ("selected-segment: 1", "select-segment"), ("selected-tab: 1", "select-tab"),
            ("view-controllers: [a]", "set-view-controllers"),
            ("root-view-controller: a", "set-root-view-controller"),
            ("patch: { at: \"@books\", title: A }", "viewController"),
        ])
    func formerNames(step: String, present: String) throws {
        let defects = try FlowFolder().defects("name: A\nsteps:\n  - \(step)")
        #expect(defects.count == 1)
        #expect(defects.first?.contains("flow.yaml:3:") == true)
        #expect(defects.first?.contains(present) == true, "\(defects)")
    }

    @Test("The keys that a step can have are listed once") func keysOfStep() throws {
        let defects = try FlowFolder().defects("name: A\nsteps: [{ colour: red }]")
        let keys = try #require(defects.first?.split(separator: "expected one of ").last)
            .split(separator: ", ")
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys).isSuperset(of: ["push", "use", "expect", "refused", "animated"]))
    }

    @Test("Flows that each use the next one twice are refused in a moment", .timeLimit(.minutes(1)))
    func useTwice() throws {
        let folder = try FlowFolder()
        let steps = Array(repeating: "back", count: 100).joined(separator: ", ")
        try folder.write("name: A\nsteps: [\(steps)]", "30.yaml")
        for number in 1..<30 {
            try folder.write(
                "name: A\nsteps: [{use: \(number + 1).yaml}, {use: \(number + 1).yaml}]",
                "\(number).yaml")
        }
        let defects = try folder.defects("name: A\nsteps: [{use: 1.yaml}, back]")
        #expect(defects.count == 1)
        #expect(defects[0].contains("20.yaml:2:25: the flow has more than 100000 steps here"))
        #expect(try FlowReader.read([folder.path("21.yaml")])[0].steps.count == 51_200)
    }

    @Test("A longer cycle of `use` names all its files") func longCycle() throws {
        let folder = try FlowFolder()
        try folder.write("name: B\nsteps: [{use: flow.yaml}]", "b.yaml")
        let defects = try folder.defects("name: A\nsteps: [{use: b.yaml}]")
        #expect(defects.count == 1)
        #expect(defects.first?.contains("flow.yaml → b.yaml → flow.yaml") == true)
    }
}
