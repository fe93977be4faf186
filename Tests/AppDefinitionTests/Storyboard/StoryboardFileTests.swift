import AppLoading
import Foundation
import NavigationRules
import TestSupport
import Testing
import WaypostCore

@testable import AppDefinition

@Suite struct StoryboardFileTests: StoryboardFileSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Every member of a storyboard and of its scenes is decoded") func members() throws {
        let storyboard = try read(
            """
            { "name": "App", "loginScene": "door", "initialScene": "home",
              "segments": [ { "title": "One", "scene": "home" }, { "scene": "home" } ],
              "scenes": {
                "door": { "kind": "form", "access": "login", "submit": "sign-up" },
                "home": { "kind": "blank", "title": "Home", "path": "/home",
                          "hidesBottomBarWhenPushed": true, "toolbarItems": ["Edit", "Share"],
                          "navigationItem": { "title": "T", "backButtonTitle": "B",
                            "hidesBackButton": true, "leftItems": ["L"], "rightItems": ["R"],
                            "leftItemsSupplementBackButton": true } },
                "deep": { "kind": "blank", "parameters": ["n"], "path": "/home/{n}",
                          "parent": "home", "bottomBar": "{n}" } } }
            """
        ).value.storyboard
        #expect(storyboard.name == "App")
        #expect(storyboard.loginScene?.name == "door")
        #expect(storyboard.loginScene?.submit == .signUp)
        #expect(storyboard.segments.map(\.title) == ["One", nil])
        let home = try #require(storyboard.scenes["home"])
        #expect(home.hidesBottomBarWhenPushed)
        #expect(home.toolbarItems == ["Edit", "Share"] && home.submit == nil)
        #expect(
            home.navigationItem
                == NavigationItem(
                    title: "T", backButtonTitle: "B", hidesBackButton: true, leftItems: ["L"],
                    leftItemsSupplementBackButton: true, rightItems: ["R"]))
        let deep = try #require(storyboard.scenes["deep"])
        #expect(deep.parent == "home")
        #expect(deep.path?.description == "/home/{n}")
    }

    @Test("A storyboard can be a property list instead of JSON") func propertyList() throws {
        let path = try folder.write(
            """
            { name = App; initialScene = home; scenes = { home = { kind = blank; title = Home; }; }; }
            """, to: "App.plist")
        let content = try StoryboardFile(path: path, json: .jansson)
            .read(library: RecordSource(levels: [], records: [])).value
        #expect(content.storyboard.initialScene.name == "home")
    }

    @Test("Ill-typed, unknown and inconsistent members of a storyboard are all reported at once")
    func allDefects() {
        let found = defects(
            """
            { "name": 1, "initialScene": "home", "colour": "red", "links": { "hots": ["a.example"] },
              "segments": [ { "scene": 2, "title": 3 } ],
              "scenes": { "home": { "kind": "tabel", "title": "{", "path": "home", "select": "x" },
                          "list": { "kind": "table", "rows": "apples", "parameters": "n" },
                          "form": { "kind": "form", "submit": "pay", "toolbarItems": "Edit" } } }
            """)
        let keyPaths = found.map { $0.split(separator: ": ")[1] }
        #expect(
            Set(keyPaths) == [
                "name", "colour", "links.hots", "segments[0].title", "segments[0].scene",
                "scenes.home.kind",
                "scenes.home.title", "scenes.home.path", "scenes.home.select", "scenes.list.rows",
                "scenes.list.parameters", "scenes.form.submit", "scenes.form.toolbarItems",
            ])
        #expect(
            found.contains(
                "App.json: scenes.home.kind: expected one of table, image, form, blank, navigation, "
                    + "tabBar, found tabel"))
    }

    @Test("The keys that the message about an unknown key lists are allowed") func allowedKeys() {
        let found = defects(
            """
            { "name": "A", "initialScene": "home", "segments": [ { "scene": "home", "colour": 1 } ],
              "scenes": { "home": { "colour": 1 }, "bar": { "kind": "tabBar", "tabs": [
                                    { "scene": "home", "colour": 1 } ] } } }
            """
        ).filter { $0.contains("unknown key") }
        #expect(found.count == 3)
        #expect(found.allSatisfy { !$0.contains("when,") && !$0.hasSuffix("when") })
    }

    @Test(
        "A segment or tab that names no scene is reported once, and later ones under their indices",
        arguments: [
            "1", "{}", #"{ "scene": 2 }"#, #"{ "scene": "" }"#, #"{ "title": "A", "scene": "" }"#,
        ])
    func entriesWithoutScene(_ entry: String) {
        let found = defects(
            """
            { "name": "App", "initialScene": "home",
              "segments": [ \(entry), { "scene": "hoem" } ],
              "scenes": { "home": { "kind": "blank" },
                          "tabs": { "kind": "tabBar", "tabs": [ \(entry), { "scene": "hoem" } ] } } }
            """)
        let place = entry == "1" ? "" : ".scene"
        #expect(
            found.map { String($0.split(separator: ": ")[1]) }.sorted() == [
                "scenes.tabs.tabs[0]\(place)", "scenes.tabs.tabs[1].scene", "segments[0]\(place)",
                "segments[1].scene",
            ])
    }

    @Test("Every member of containers, segues and controls is decoded") func containers() throws {
        let storyboard = try read(
            """
            { "name": "App", "initialScene": "tabs", "strict": true, "uikit": 17,
              "callbacks": ["tabs", "viewIsAppearing"],
              "scenes": {
                "tabs": { "kind": "tabBar", "isModalInPresentation": true,
                          "tabs": [ { "title": "One", "scene": "nav" }, { "scene": "home" } ] },
                "nav": { "kind": "navigation", "root": "home", "presentation": "formSheet" },
                "home": { "kind": "table", "unwindActions": ["toHome"],
                  "rows": [ { "title": "A", "subtitle": "B", "segue": "next" },
                            { "title": "C", "accessorySegue": "sheet" } ],
                  "navigationItem": { "leftItems": ["L", { "title": "M", "segue": "sheet" }] },
                  "buttons": [ { "title": "Go", "segue": "back" } ],
                  "segues": [
                    { "identifier": "next", "kind": "show", "scene": "item",
                      "parameters": { "n": "1" } },
                    { "identifier": "sheet", "kind": "present", "scene": "nav",
                      "presentationStyle": "popover" },
                    { "identifier": "back", "kind": "unwind", "action": "toHome" },
                    { "identifier": "mine", "kind": "custom" } ] },
                "item": { "kind": "blank", "parameters": ["n"] } } }
            """
        ).value.storyboard
        #expect(storyboard.isStrict)
        #expect(storyboard.uikit.number == 17)
        #expect(storyboard.callbacks == [.tabs, .viewIsAppearing])
        let tabs = try #require(storyboard.scenes["tabs"])
        #expect(tabs.tabs == [.init(title: "One", scene: "nav"), .init(title: nil, scene: "home")])
        #expect(tabs.isModalInPresentation)
        #expect(storyboard.scenes["nav"]?.root == "home")
        #expect(storyboard.scenes["nav"]?.presentation == .formSheet)
        let home = try #require(storyboard.scenes["home"])
        #expect(home.unwindActions == ["toHome"])
        #expect(
            home.segues.map(\.action) == [
                .show("item"), .present("nav", .popover), .unwind("toHome"), .custom,
            ])
        #expect(
            home.fixedRows == [
                FixedRow(title: "A", subtitle: "B", segue: "next"),
                FixedRow(title: "C", accessorySegue: "sheet"),
            ])
        #expect(home.navigationItem.leftItems == ["L", "M"])
        #expect(home.controls.leftItems.map(\.segue) == [nil, "sheet"])
        #expect(home.controls.buttons == [Control(title: "Go", segue: "back")])
    }

    @Test("An unknown version of iOS and an unknown group of callbacks are reported")
    func unknownVersion() {
        let found = defects(
            """
            { "name": "App", "initialScene": "home", "uikit": 12, "callbacks": ["tabs", "all"],
              "scenes": { "home": { "kind": "blank" } } }
            """)
        #expect(found.count == 2)
        #expect(
            found.contains {
                $0.hasSuffix("uikit: expected a version of iOS from 13 to 26, found 12")
            })
        #expect(
            found.contains {
                $0.hasSuffix(
                    "callbacks[1]: expected one of viewIsAppearing, presentation, tabs, found all")
            })
    }

    @Test("Defects of containers, segues and controls are all reported at once")
    func containerDefects() {
        let found = defects(
            """
            { "name": "App", "initialScene": "tabs", "segments": [ { "scene": "home" } ],
              "scenes": {
                "tabs": { "kind": "tabBar",
                          "tabs": [ { "scene": "tabs" }, { "title": 1 }, { "scene": "nav", "icon": "x" } ] },
                "nav": { "kind": "navigation" },
                "home": { "kind": "blank", "presentation": "sheet",
                  "buttons": [ { "title": "Go" }, "Stop" ],
                  "segues": [
                    { "identifier": "a", "kind": "jump" },
                    { "identifier": "b", "kind": "show", "scene": "hoem", "presentationStyle": "popover" },
                    { "identifier": "b", "kind": "unwind", "scene": "home", "action": "x" },
                    { "identifier": "c", "kind": "custom", "action": "x" },
                    { "identifier": "d", "kind": "push" } ] } } }
            """)
        let keyPaths = found.map { String($0.split(separator: ": ")[1]) }
        #expect(
            Set(keyPaths) == [
                "segments", "scenes.tabs.tabs[0].scene", "scenes.tabs.tabs[1].title",
                "scenes.tabs.tabs[1].scene", "scenes.tabs.tabs[2].icon",
                "scenes.tabs.tabs[2].scene",
                "scenes.home.presentation", "scenes.home.buttons[0]",
                "scenes.home.buttons[1]", "scenes.home.segues[0].kind",
                "scenes.home.segues[1].presentationStyle", "scenes.home.segues[1].scene",
                "scenes.home.segues[2].identifier", "scenes.home.segues[2].scene",
                "scenes.home.segues[2].action",
                "scenes.home.segues[3].action", "scenes.home.segues[4].scene",
            ])
    }

    @Test(
        "A file that is not a storyboard is reported with its name and the reason",
        arguments: [
            ("[]", "App.json: expected a storyboard (a dictionary), found an array"),
            (#"{"name": "#, "App.json: not valid JSON"),
            ("", "App.json: the file is empty"),
            (#"{"name": "A", "name": "B"}"#, "App.json: not valid JSON"),
            (#"{"name": "A", "scenes": {}}"#, "App.json: initialScene: missing"),
        ])
    func malformed(_ text: String, _ start: String) {
        #expect(defects(text).first?.hasPrefix(start) == true)
    }

    @Test("A defect of a tab has the tab's own index, also behind a tab without a scene")
    func tabIndex() {
        let found = defects(
            """
            { "name": "Tabs", "initialScene": "tabs", "scenes": {
                "tabs": { "kind": "tabBar", "tabs": [{}, 7, { "scene": "gone" }] } } }
            """)
        #expect(found.contains { $0.contains(" scenes.tabs.tabs[0].scene:") })
        #expect(found.contains { $0.contains(" scenes.tabs.tabs[1]:") })
        #expect(found.contains { $0.contains(" scenes.tabs.tabs[2].scene:") })
        #expect(found.count == 3)
    }

    @Test(
        "There is no warning of a scene to which only a part with a defect can lead",
        arguments: [
            (#"[{ "scene": "one" }]"#, ["scenes.two"]), (#"[{ "scene": "one" }, {}]"#, []),
            (#"[{ "scene": "one" }, 7]"#, []), (#"[{ "scene": "one" }, { "scene": "gone" }]"#, []),
        ])
    func followingWarnings(tabs: String, expected: [String]) {
        let warnings: [Diagnostic]
        do {
            warnings = try read(
                """
                { "name": "Tabs", "initialScene": "tabs",
                  "scenes": { "tabs": { "kind": "tabBar", "tabs": \(tabs) },
                              "one": { "kind": "blank" }, "two": { "kind": "blank" } } }
                """
            ).warnings
        } catch {
            warnings = (error as? UnusableFile)?.warnings ?? []
        }
        #expect(warnings.map(\.keyPath) == expected)
    }

    @Test("Storyboard texts over 10,000 bytes and scenes with over 100 parameters are defects")
    func limits() {
        let text = String(repeating: "x", count: 10_001)
        let names = { (count: Int) in (0..<count).map { "\"p\($0)\"" }.joined(separator: ", ") }
        let found = defects(
            """
            { "name": "\(text)", "initialScene": "home",
              "scenes": {
                "home": { "kind": "blank", "title": "\(text)", "path": "/\(text)",
                          "navigationItem": { "leftItems": ["\(text)"] } },
                "many": { "kind": "blank", "parameters": [\(names(100))] },
                "more": { "kind": "blank", "parameters": [\(names(101))] } } }
            """)
        let size = "expected 10000 bytes at most, found 1000"
        #expect(
            found == [
                "App.json: name: \(size)1", "App.json: scenes.home.title: \(size)1",
                "App.json: scenes.home.path: \(size)2",
                "App.json: scenes.home.navigationItem.leftItems[0]: \(size)1",
                "App.json: scenes.more.parameters: expected 100 parameters at most, found 101",
            ])
    }
}
