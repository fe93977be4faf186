import NavigationRules
import TestSupport
import Testing
import WaypostCore

@testable import AppDefinition

@Suite("Flags, guests, Close buttons and bare roots in storyboard files")
struct FlagFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ storyboard: String) throws -> Storyboard {
        try StoryboardFile(path: folder.write(storyboard, to: "App.json"), json: .jansson)
            .read(library: RecordSource(levels: [], records: [])).value.storyboard
    }

    /// The key paths and the reasons of the defects.
    private func defects(_ storyboard: String) -> [String] {
        do {
            _ = try read(storyboard)
            return []
        } catch {
            return (error as? UnusableFile)?.defects.map { "\($0.keyPath): \($0.reason)" }
                ?? ["\(error)"]
        }
    }

    @Test("Every member of flags is decoded") func members() throws {
        let storyboard = try read(
            """
            { "name": "App", "initialScene": "home", "loginScene": "door",
              "initialIsBare": true, "flags": { "paid": false, "a1": true },
              "scenes": {
                "home": { "kind": "table",
                  "rows": [ { "title": "A", "set": { "paid": true }, "when": "!paid" },
                            { "title": "B" } ],
                  "navigationItem": { "rightItems": ["L", { "title": "M", "when": "loggedIn" }] },
                  "toolbarItems": [ { "title": "T", "set": { "a1": false }, "when": "a1" } ],
                  "buttons": [ { "title": "Go", "segue": "go", "set": { "a1": true, "paid": false } } ],
                  "segues": [ { "identifier": "go", "kind": "show", "scene": "mine", "when": "paid" },
                              { "identifier": "go", "kind": "present", "scene": "mine", "when": "!paid" } ] },
                "mine": { "kind": "blank", "access": "members",
                          "segues": [ { "identifier": "close", "kind": "dismiss", "when": "a1" } ] },
                "door": { "kind": "form", "access": "login" } } }
            """)
        #expect(storyboard.initialIsBare && !storyboard.hasGuests)
        #expect(storyboard.flags.names == ["a1", "paid"])
        #expect(storyboard.flags.values == ["a1": true, "paid": false])
        let home = try #require(storyboard.scenes["home"])
        let isPaid = FlagCondition("paid")
        #expect(isPaid.value && !FlagCondition("!paid").value)
        #expect(home.access == .members && storyboard.scenes["mine"]?.access == .members)
        #expect(
            home.fixedRows == [
                FixedRow(title: "A", when: FlagCondition("!paid"), sets: ["paid": true]),
                FixedRow(title: "B"),
            ])
        #expect(
            home.controls.rightItems == [
                Control(title: "L", segue: nil),
                Control(title: "M", segue: nil, when: FlagCondition("loggedIn")),
            ])
        #expect(
            home.controls.toolbarItems == [
                Control(title: "T", segue: nil, when: FlagCondition("a1"), sets: ["a1": false])
            ])
        #expect(
            home.controls.buttons == [
                Control(title: "Go", segue: "go", sets: ["a1": true, "paid": false])
            ])
        #expect(
            home.segues == [
                Segue(identifier: "go", action: .show("mine"), when: isPaid),
                Segue(
                    identifier: "go", action: .present("mine", nil), when: FlagCondition("!paid")),
            ])
        #expect(
            storyboard.scenes["mine"]?.segues == [
                Segue(identifier: "close", action: .dismiss, when: FlagCondition("a1"))
            ])
    }

    /// Storyboards by their members beside `name`, `initialScene` and `scenes`, with the members of
    /// the scene `home`, and their defects.
    private static let wrong: [(app: String, home: String, defects: [String])] = [
        (#""flags": { "loggedIn": true }"#, "", ["flags.loggedIn: the name is reserved"]),
        (#""flags": { "": true }"#, "", ["flags.: expected the name of a flag"]),
        (
            #""flags": { "1a": true, "ä": true, "a-b": true }"#, "",
            ["flags.1a: expected", "flags.a-b: expected", "flags.ä: expected"]
        ),
        (#""flags": { "\#(String(repeating: "x", count: 41))": true }"#, "", ["flags.x"]),
        (#""flags": { "\#(String(repeating: "x", count: 40))": true }"#, "", []),
        (#""flags": { "a": 1 }"#, "", ["flags.a: expected a boolean, found an integer"]),
        (#""flags": ["a"]"#, "", ["flags: expected a dictionary of flags"]),
        (
            #""flags": { \#((0...16).map { "\"f\($0)\": true" }.joined(separator: ", ")) }"#, "",
            ["flags: expected 16 flags at most, found 17"]
        ),
        (#""guests": true"#, "", ["guests: an app with guests needs a loginScene"]),
        (
            "", #""access": "everyone""#,
            ["scenes.home.access: only an app with `guests`"]
        ),
        ("", #""access": "app""#, ["scenes.home.access: app is called members now"]),
        (
            "", #""access": "all""#,
            ["scenes.home.access: expected one of members, everyone, login, found all"]
        ),
        (
            #""initialIsBare": true, "segments": [{ "scene": "home" }]"#, "",
            ["initialIsBare: an app with segments"]
        ),
        (
            #""flags": { "paid": true }"#,
            #""buttons": [{ "title": "B", "set": { "piad": true } }]"#,
            ["scenes.home.buttons[0].set: no flag is named piad; did you mean paid?"]
        ),
        (
            #""flags": { "paid": true }"#,
            #""buttons": [{ "title": "B", "set": { "paid": "yes" }, "when": "!pay" }]"#,
            [
                "scenes.home.buttons[0].set.paid: expected a boolean, found a string",
                "scenes.home.buttons[0].when: no flag is named pay; did you mean paid?",
            ]
        ),
        (
            "", #""buttons": [{ "title": "B", "set": { "loggedIn": false } }]"#,
            ["scenes.home.buttons[0].set: nothing sets loggedIn"]
        ),
        (
            "", #""buttons": [{ "title": "B", "set": {}, "when": "loggedIn" }]"#,
            ["scenes.home.buttons[0].when: no user logs in"]
        ),
        (
            "", #""buttons": [{ "title": "B" }]"#,
            ["scenes.home.buttons[0]: a tap has no effect: name a `segue`, or flags in `set`"]
        ),
        (
            "", #""toolbarItems": [{ "title": "B" }]"#,
            ["scenes.home.toolbarItems[0]: a tap has no effect: name a `segue`, or flags in `set`"]
        ),
        (
            #""flags": { "a": true }"#, #""when": "a""#,
            ["scenes.home.when: a scene has no condition"]
        ),
        (
            #""segments": [{ "scene": "home", "when": "a" }]"#, "",
            ["segments[0].when: a segment has no condition"]
        ),
        (
            "", #""segues": [{ "identifier": "x", "kind": "custom", "when": "no" }]"#,
            ["scenes.home.segues[0].when: no flag is named no"]
        ),
        (
            #""flags": { "a": true }"#,
            #"""
            "segues": [{ "identifier": "x", "kind": "custom", "when": "a" },
                       { "identifier": "x", "kind": "custom", "when": "!a" },
                       { "identifier": "x", "kind": "custom", "when": "!a" },
                       { "identifier": "y", "kind": "custom" },
                       { "identifier": "y", "kind": "custom", "when": "a" },
                       { "identifier": "z", "kind": "custom", "when": "a" },
                       { "identifier": "z", "kind": "custom", "when": "a" }]
            """#,
            [
                "scenes.home.segues[2].identifier: the scene has two segues",
                "scenes.home.segues[4].identifier: the scene has two segues",
                "scenes.home.segues[6].identifier: the scene has two segues",
            ]
        ),
        (
            "",
            #"""
            "segues": [{ "identifier": "x", "kind": "dismiss", "scene": "home", "action": "a",
                         "parameters": { "n": "1" }, "presentationStyle": "popover" }]
            """#,
            [
                "scenes.home.segues[0].presentationStyle: only a segue of kind present",
                "scenes.home.segues[0].action: only a segue of kind unwind",
                "scenes.home.segues[0].scene: no segue of kind dismiss",
                "scenes.home.segues[0].parameters: no segue of kind dismiss",
                "scenes.home.segues[0].kind: home is in the root layer only",
            ]
        ),
    ]

    @Test("Each defect of flags is reported with its key path", arguments: wrong.indices)
    func defects(_ index: Int) {
        let (app, home, expected) = Self.wrong[index]
        let found = defects(
            """
            { "name": "App", "initialScene": "home"\(app.isEmpty ? "" : ", \(app)"),
              "scenes": { "home": { "kind": "blank"\(home.isEmpty ? "" : ", \(home)") } } }
            """)
        #expect(found.count == expected.count, "\(found)")
        for (found, expected) in zip(found, expected) {
            #expect(found.hasPrefix(expected), "\(found)")
        }
    }

    @Test("A container cannot be bare, and a tab has no condition") func containers() {
        #expect(
            defects(
                """
                { "name": "App", "initialScene": "tabs", "initialIsBare": true,
                  "scenes": { "home": { "kind": "blank" },
                    "tabs": { "kind": "tabBar", "tabs": [{ "scene": "home", "when": "a" }] } } }
                """
            ).map { $0.prefix(35) } == [
                "scenes.tabs.tabs[0].when: a tab has", "initialIsBare: tabs is a container ",
            ])
    }
}
