import Foundation
import Testing

import struct NavigationRules.Tap

@testable import Navigation

/// Tests of the product `Navigation`, beside those of `Examples/UnitTests`.
@Suite struct OperationTests {
    private let app: App

    init() throws { app = try App(Data(Self.storyboard.utf8)) }

    /// A method, the same operation as JSON, and the operations before it.
    struct Case: Sendable, CustomTestStringConvertible {
        let method: @Sendable (inout Window) throws -> Change
        let json: String
        var before: [String] = []

        var testDescription: String { json }
    }

    @Test(
        "Each method performs the operation of its name",
        arguments: [
            Case(
                method: { try $0.push("item", ["id": "7"]) },
                json: #"{"push": {"scene": "item", "parameters": {"id": "7"}}}"#),
            Case(method: { try $0.pop() }, json: #"{"pop": {}}"#, before: deep),
            Case(
                method: { try $0.pop(to: "home") }, json: #"{"pop-to": {"scene": "home"}}"#,
                before: deep),
            Case(method: { try $0.popToRoot() }, json: #"{"pop-to-root": {}}"#, before: deep),
            Case(
                method: { try $0.setViewControllers(["more", "home"]) },
                json: #"""
                    {"set-view-controllers": {"viewControllers": [{"scene": "more", "parameters": {}}, \#
                    {"scene": "home", "parameters": {}}]}}
                    """#),
            Case(
                method: { try $0.present("more", style: "fullScreen") },
                json: #"""
                    {"present": {"scene": "more", "parameters": {}, \#
                    "presentationStyle": "fullScreen"}}
                    """#),
            Case(
                method: { try $0.present("item", ["id": "7"]) },
                json: #"{"present": {"scene": "item", "parameters": {"id": "7"}}}"#),
            Case(method: { try $0.dismiss() }, json: #"{"dismiss": {}}"#, before: sheet),
            Case(method: { try $0.swipeDown() }, json: #"{"swipe-down": {}}"#, before: sheet),
            Case(
                method: { try $0.performSegue("more") },
                json: #"{"perform-segue": {"identifier": "more"}}"#),
            Case(
                method: { try $0.unwind("home") }, json: #"{"unwind": {"action": "home"}}"#,
                before: deep),
            Case(method: { try $0.open("/item/3") }, json: #"{"open": {"path": "/item/3"}}"#),
            Case(method: { try $0.selectTab(1) }, json: #"{"select-tab": {"index": 1}}"#),
            Case(
                method: { try $0.tap("More", in: .tab) },
                json: #"{"tap": {"title": "More", "place": "tab"}}"#),
            Case(method: { try $0.selectRow(0) }, json: #"{"select-row": {"row": 0}}"#),
            Case(method: { try $0.back() }, json: #"{"back": {}}"#, before: deep),
            Case(method: { try $0.swipeBack() }, json: #"{"swipe-back": {}}"#, before: deep),
            Case(
                method: { try $0.swipeBack(completed: false) },
                json: #"{"swipe-back": {"completed": false}}"#, before: deep),
            Case(
                method: { try $0.setFlag("new", true) },
                json: #"{"set-flags": {"flags": {"new": true}}}"#),
        ])
    func operation(_ example: Case) throws {
        var one = try app.launch()
        for json in example.before { try one.perform(json) }
        var other = one
        let change = try example.method(&one)
        #expect(try other.perform(example.json) == change)
        #expect(one == other)
        #expect(one.lastChange == change)
        #expect(!change.events.isEmpty || one.flags["new"] == true)
    }

    @Test("The description lists the values that can be expected")
    func description() throws {
        var window = try app.launch()
        try window.push("item", ["id": "7"])
        #expect(
            window.description == """
                title: Item 7
                back: Start
                stack: [Home, Item 7]
                layers: [Item 7]
                tab: Home
                segment: nil
                rows: nil
                bottomBar: nil
                link: /item/7
                pendingLink: nil
                auth: nil
                root: app
                transition: push
                popped: []
                events: [viewDidLoad item, viewWillDisappear home, viewWillAppear item, willShow item, \
                viewDidDisappear home, viewDidAppear item, didShow item]
                """)
        #expect(window.layers[0].stacks.map { $0.map(\.scene) } == [["home", "item"], ["more"]])
        #expect(window.layers[0].selectedTab == 0)
        #expect(window.controls() == ["Start", "Home", "More"])
        #expect(window.controls(in: .tab) == ["Home", "More"])
    }

    @Test("A difference names the value, the expectation and the state")
    func differences() throws {
        let window = try app.launch()
        let found = window.differences(from: [
            "stack": ["Home", "Item"], "tab": 1, "layers": 1, "rows": ["Seven"], "titel": "Home",
        ])
        #expect(found.count == 3)
        #expect(found[0] == "stack: expected [Home, Item], found [Home]")
        #expect(found[1] == "tab: expected 1, found 0")
        #expect(found[2].hasPrefix("titel: no such value; expected title, back, stack"))
    }

    @Test("An expectation of nil is met only by a text that is missing")
    func expectedNil() throws {
        var window = try app.launch()
        let expected: [String: ExpectedValue] = ["back": nil, "link": nil, "auth": nil]
        #expect(window.differences(from: expected) == [])
        try window.push("item", ["id": "7"])
        #expect(
            window.differences(from: expected) == [
                "back: expected nil, found Start", "link: expected nil, found /item/7",
            ])
    }

    @Test("A screen that is no table has no rows, not even an empty list") func noTable() throws {
        var window = try app.launch()
        #expect(
            window.differences(from: ["rows": nil]) == ["rows: expected nil, found [Seven]"])
        try window.push("item", ["id": "7"])
        #expect(window.differences(from: ["rows": nil]) == [])
        #expect(window.differences(from: ["rows": []]) == ["rows: expected [], found nil"])
        #expect(window.differences(from: ["rows": 0]) == ["rows: expected 0, found nil"])
    }

    @Test("A refusal has the code and the text of the service, and changes nothing")
    func refusals() throws {
        var window = try app.launch()
        let before = window
        func refusal(_ act: (inout Window) throws(Refusal) -> Change) -> String? {
            do throws(Refusal) { _ = try act(&window) } catch { return "\(error.code): \(error)" }
            return nil
        }
        #expect(
            refusal { w throws(Refusal) in try w.push("hom") }
                == "scene-not-found: no scene is named hom")
        #expect(
            refusal { w throws(Refusal) in try w.push("item") }
                == "invalid-body: id: missing: the scene item needs this parameter")
        #expect(
            refusal { w throws(Refusal) in try w.present("more", style: "wide") }
                == "invalid-body: there is no presentation style wide")
        #expect(
            refusal { w throws(Refusal) in try w.perform(#"{"push": {"scene": 1}}"#) }
                == "invalid-body: /push/scene: expected a string, found an integer")
        #expect(
            refusal { w throws(Refusal) in try w.perform("[]") }
                == "invalid-body: expected an object")
        #expect(
            refusal { w throws(Refusal) in try w.perform("{}") }
                == "invalid-body: expected one member, named after an operation, as in "
                + #"{"pop": {}}; found 0 members"#)
        #expect(
            refusal { w throws(Refusal) in try w.perform("{") }
                == "invalid-body: The given data was not valid JSON.")
        #expect(refusal { w throws(Refusal) in try w.logIn("ada") }?.hasPrefix("no-login") == true)
        #expect(refusal { w throws(Refusal) in try w.logOut() }?.hasPrefix("no-login") == true)
        #expect(window == before)
        #expect(throws: Refusal.self) { try app.launch(opening: "/none") }
        #expect(throws: Refusal.self) { try app.launch(flags: ["old": true]) }
    }

    @Test("All defects of a storyboard are reported, each with its place")
    func defects() throws {
        let text = Self.storyboard.replacing(#""kind": "table""#, with: #""kind": "tabel""#)
            .replacing(#""path": "/item/{id}""#, with: #""path": 5"#)
        let error = #expect(throws: StoryboardError.self) { try App(Data(text.utf8)) }
        let defects = error?.defects.map { "\($0)" } ?? []
        try #require(defects.count == 2)
        #expect(defects[0].contains("scenes.home.kind"))
        #expect(defects[1].contains("scenes.item.path"), "\(defects[1])")
        let syntax = #expect(throws: StoryboardError.self) { try App(Data("{ \"name\": ".utf8)) }
        #expect(syntax?.description.contains("not valid JSON: The given data") == true)
    }

    @Test("Each place of a control is the place of the same name in the rules")
    func places() {
        for place in Tap.Place.allCases {
            #expect(Place(rawValue: place.rawValue)?.rules == place)
        }
    }

    @Test("A property list is read as well")
    func propertyList() throws {
        let text =
            "{ name = A; initialScene = home; scenes = { home = { kind = blank; title = Hi; }; }; }"
        #expect(try App(Data(text.utf8)).launch().topViewController.title == "Hi")
    }

    private static let deep = [
        #"{"push": {"scene": "item", "parameters": {"id": "1"}}}"#,
        #"{"push": {"scene": "item", "parameters": {"id": "2"}}}"#,
    ]
    private static let sheet = [
        #"{"present": {"scene": "more", "presentationStyle": "pageSheet"}}"#
    ]

    private static let storyboard = #"""
        { "name": "Small", "initialScene": "tabs", "flags": { "new": false },
          "scenes": {
            "tabs": { "kind": "tabBar", "tabs": [
              { "title": "Home", "scene": "homeTab" }, { "title": "More", "scene": "more" } ] },
            "homeTab": { "kind": "navigation", "root": "home" },
            "home": { "kind": "table", "title": "Home", "unwindActions": ["home"],
              "navigationItem": { "backButtonTitle": "Start" },
              "rows": [ { "title": "Seven", "segue": "more" } ],
              "segues": [ { "identifier": "more", "kind": "present", "scene": "more" } ] },
            "item": { "kind": "blank", "title": "Item {id}", "parameters": ["id"],
              "path": "/item/{id}", "parent": "home" },
            "more": { "kind": "blank", "title": "More" } } }
        """#
}
