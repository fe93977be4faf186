import NavigationRules
import Testing

@testable import Exploration
@testable import Flows

/// Explorations of apps whose rows are data, and ways to their scenes.
@Suite struct ExplorationDataTests {
    private static let things = """
        [{"id": "one", "name": "One", "parts": []},
         {"id": "two", "name": "Two", "parts": [{"id": "p", "name": "P"}]}]
        """
    private static let levels = """
        "data": {"file": "things.json", "levels": [
          {"rows": "things", "each": "thing", "id": "id", "title": "name", "children": "parts"},
          {"rows": "parts", "each": "part", "id": "id", "title": "name"}]},
        """
    private static let home = """
        "home": {"kind": "table", "title": "Home", "rows": "things", "select": "thing"}
        """

    private func app(
        _ scenes: String, more: String = "", things: String = Self.things
    ) throws -> App {
        let folder = try FlowFolder()
        try folder.write(things, "things.json")
        return try loadApp(
            folder.write(
                """
                {"name": "Things", "initialScene": "home", \(Self.levels) \(more)
                 "scenes": {\(scenes)}}
                """, "app.json"))
    }

    private func report(
        _ app: App, _ set: (inout Exploration.Limits) -> Void = { _ in }
    ) -> ExplorationReport {
        var limits = Exploration.Limits()
        set(&limits)
        var exploration = Exploration(app, limits)
        return exploration.run()
    }

    private func texts(
        _ app: App, _ set: (inout Exploration.Limits) -> Void = { _ in }
    ) -> [String] {
        report(app, set).findings.map { "\($0.severity.rawValue) \($0.text)" }
    }

    @Test("A link that no row gives its parameters was not tried") func untried() throws {
        let app = try app(
            """
            "home": {"kind": "table", "title": "Home", "rows": [{"title": "Go", "segue": "go"}],
              "segues": [{"identifier": "go", "kind": "show", "scene": "code",
                          "parameters": {"number": "1"}}]},
            "code": {"kind": "blank", "title": "{number}", "parameters": ["number"],
              "path": "/codes/{number}"}
            """)
        #expect(
            texts(app) == [
                "warning the link /codes/{number} was not tried: "
                    + "no row that was seen gives its parameters"
            ])
    }

    /// Only a link with a free text shows a note, its folder and what a note leads to.
    private func notes() throws -> App {
        try app(
            """
            "home": {"kind": "blank", "title": "Home", "buttons": [{"title": "A", "segue": "a"}],
              "segues": [{"identifier": "a", "kind": "show", "scene": "a"}]},
            "a": {"kind": "blank", "title": "A", "buttons": [{"title": "B", "segue": "b"}],
              "segues": [{"identifier": "b", "kind": "show", "scene": "b"}]},
            "b": {"kind": "blank", "title": "B"},
            "folder": {"kind": "blank", "title": "Folder", "parent": "home"},
            "note": {"kind": "blank", "title": "{id}", "parameters": ["id"],
              "path": "/notes/{id}", "parent": "folder",
              "buttons": [{"title": "More", "segue": "more"}, {"title": "B", "segue": "b"}],
              "segues": [{"identifier": "more", "kind": "show", "scene": "more"},
                         {"identifier": "b", "kind": "show", "scene": "b"}]},
            "more": {"kind": "blank", "title": "More"},
            "island": {"kind": "blank", "title": "Island"}
            """)
    }

    @Test("A scene to which a link may lead that was not tried is unknown")
    func behindUntriedLink() throws {
        let app = try notes()
        #expect(
            texts(app).dropFirst() == [
                "unknown the scene folder was not reached",
                "error no user can reach the scene island",
                "unknown the scene more was not reached",
                "unknown the scene note was not reached",
            ])
        for start in [PathSearch.Start.launch, .scene("home")] {
            for (scene, onlyGestures, isKnown) in [
                ("more", false, false), ("more", true, true), ("island", false, true),
            ] {
                let answer = PathSearch(app, Exploration.Limits(), onlyGestures: onlyGestures)
                    .answer(from: start, to: scene)
                #expect(answer.isNone == isKnown, "\(start) to \(scene)")
                #expect((answer == .unknown) != isKnown, "\(start) to \(scene)")
            }
        }
    }

    @Test("A link that was not tried may be the start of a shorter way")
    func shorterByUntriedLink() throws {
        let app = try notes()
        for start in [PathSearch.Start.launch, .scene("home")] {
            for (scene, onlyGestures, isShortest) in [
                ("a", false, true), ("b", false, false), ("b", true, true),
            ] {
                let answer = PathSearch(app, Exploration.Limits(), onlyGestures: onlyGestures)
                    .answer(from: start, to: scene)
                guard case .path(let way) = answer else {
                    Issue.record("no way from \(start) to \(scene)")
                    continue
                }
                #expect(way.isShortest == isShortest, "\(start) to \(scene)")
            }
        }
    }

    @Test("A link that another pattern opens is an error") func shadowed() throws {
        let app = try app(
            """
            \(Self.home),
            "thing": {"kind": "blank", "title": "{thing}", "parameters": ["thing"],
              "path": "/things/{thing}"},
            "first": {"kind": "blank", "title": "First", "path": "/things/one"}
            """, things: #"[{"id": "one", "name": "One"}]"#)
        #expect(texts(app) == ["error the link /things/one to thing shows first, not thing"])
    }

    private static let flag = #""flags": {"f": false},"#
    private static let button = #""buttons": [{"title": "F", "when": "!f", "set": {"f": true}}]"#

    @Test(
        "A dead end behind a row that was left out is unknown, also in an app with flags",
        arguments: [false, true])
    func leftOutRow(hasFlags: Bool) throws {
        // The second thing has a part, from which a segue leads back.
        let app = try app(
            """
            "home": {"kind": "blank", "title": "Home", "unwindActions": ["home"],
              "buttons": [{"title": "List", "segue": "list"}],
              "segues": [{"identifier": "list", "kind": "show", "scene": "list"}]},
            "list": {"kind": "table", "title": "List", "rows": "things", "select": "thing",
              "navigationItem": {"hidesBackButton": true} \(hasFlags ? ", \(Self.button)" : "")},
            "thing": {"kind": "table", "title": "{thing}", "parameters": ["thing"],
              "rows": "thing.parts", "select": "part"},
            "part": {"kind": "blank", "title": "{part}", "parameters": ["thing", "part"],
              "buttons": [{"title": "Home", "segue": "home"}],
              "segues": [{"identifier": "home", "kind": "unwind", "action": "home"}]}
            """, more: hasFlags ? Self.flag : "")
        #expect(texts(app) == [])
        let some = texts(app) { $0.rows = 1 }
        let way = hasFlags ? "a window that was not seen" : "a row after the first 1"
        #expect(
            some.contains("unknown list is a dead end unless \(way) leads back to a root"),
            "\(some)")
        #expect(!some.contains { $0.hasPrefix("error list is a dead end") })
    }

    @Test("Rows are explored separately if segues pass their parameters on")
    func parameters() throws {
        // Only the second thing has a part. The scenes between pass its id on under another name.
        let app = try app(
            """
            \(Self.home.replacing(#""select": "thing""#, with: #""select": "first""#)),
            "first": {"kind": "blank", "title": "{thing}", "parameters": ["thing"],
              "buttons": [{"title": "Next", "segue": "next"}],
              "segues": [{"identifier": "next", "kind": "show", "scene": "second",
                          "parameters": {"other": "{thing}"}}]},
            "second": {"kind": "blank", "title": "{other}", "parameters": ["other"],
              "buttons": [{"title": "Next", "segue": "next"},
                          {"title": "F", "when": "!f", "set": {"f": true}}],
              "segues": [{"identifier": "next", "kind": "show", "scene": "thing",
                          "parameters": {"thing": "{other}"}}]},
            "thing": {"kind": "table", "title": "{thing}", "parameters": ["thing"],
              "rows": "thing.parts", "select": {"segue": "part"},
              "segues": [{"identifier": "part", "kind": "show", "scene": "part",
                          "parameters": {"thing": "{thing}"}}]},
            "part": {"kind": "blank", "title": "{part}", "parameters": ["thing", "part"],
              "navigationItem": {"hidesBackButton": true}}
            """, more: Self.flag)
        #expect(texts(app) == ["error part is a dead end: no tap leads back to a root"])
    }

    @Test(
        "Two texts in segues lead to the same heads unless one is the id of a row that was left out"
    )
    func idInText() throws {
        func segue(_ identifier: String, _ other: String) -> String {
            """
            {"identifier": "\(identifier)", "kind": "show", "scene": "second",
             "parameters": {"thing": "one", "other": "\(other)"}}
            """
        }
        func report(_ text: String) throws -> ExplorationReport {
            let app = try app(
                """
                "home": {"kind": "blank", "title": "Home",
                  "buttons": [{"title": "X", "segue": "x"}, {"title": "Y", "segue": "y"}],
                  "segues": [\(segue("x", "no id")), \(segue("y", text))]},
                "second": {"kind": "blank", "title": "{other}", "parameters": ["thing", "other"],
                  "buttons": [{"title": "Next", "segue": "next"}],
                  "segues": [{"identifier": "next", "kind": "show", "scene": "thing",
                              "parameters": {"thing": "{other}"}}]},
                "thing": {"kind": "table", "title": "{thing}", "parameters": ["thing"],
                  "rows": "thing.parts", "select": "part"},
                "part": {"kind": "blank", "title": "{part}", "parameters": ["thing", "part"],
                  "navigationItem": {"hidesBackButton": true}}
                """)
            return self.report(app) { $0.rows = 1 }
        }
        #expect(try report("no id either").heads == report("no id").heads)
        let found = try report("two").findings.filter { $0.kind == .deadEnd }
        #expect(found.map(\.text) == ["part is a dead end: no tap leads back to a root"])
    }

    // MARK: Ways

    private static let thing = """
        "thing": {"kind": "blank", "title": "{thing}", "parameters": ["thing"]},
        "island": {"kind": "blank", "title": "Island"}
        """

    @Test("Rows that were left out do not hide that no action leads to a scene")
    func island() throws {
        var limits = Exploration.Limits()
        limits.rows = 1
        let app = try app("\(Self.home), \(Self.thing)")
        let search = PathSearch(app, limits, onlyGestures: false)
        let none = PathSearch.Answer.none(reached: ["home", "thing"])
        #expect(search.answer(from: .scene("thing"), to: "island") == none)
        #expect(search.answer(from: .scene("island"), to: "home") == none)
    }

    @Test("A way in an app with flags and guests sets the flag and logs in")
    func windows() throws {
        let app = try app(
            """
            "home": {"kind": "blank", "title": "Home", "access": "everyone",
              "buttons": [{"title": "Me", "segue": "me", "when": "f"},
                          {"title": "F", "when": "!f", "set": {"f": true}}],
              "segues": [{"identifier": "me", "kind": "show", "scene": "me"}]},
            "me": {"kind": "blank", "title": "Me"},
            "door": {"kind": "form", "title": "Log In", "access": "login", "submit": "log-in"}
            """, more: #""guests": true, "loginScene": "door", \#(Self.flag)"#)
        let search = PathSearch(app, Exploration.Limits(), onlyGestures: false)
        guard case .path(let way) = search.answer(from: .scene("home"), to: "me") else {
            Issue.record("no way")
            return
        }
        #expect(way.before == [] && way.isShortest)
        #expect(
            way.steps == [
                "tap: { place: button, index: 0 } # F", "tap: { place: button, index: 0 } # Me",
                "sign-up: ada",
            ])
    }

    @Test(
        "A way from a link that needs a log-in logs in before the link, or at the form it shows",
        arguments: [
            ("members", #""strict": false,"#, ["sign-up: ada", "open: /things/two"]),
            ("members", #""strict": true,"#, ["log-in: ada", "open: /things/two"]),
            (
                "everyone", #""guests": true, "strict": true,"#,
                ["open: /things/two", "log-in: ada"]
            ),
        ])
    func linkAtLogIn(access: String, more: String, before: [String]) throws {
        let app = try app(
            """
            "home": {"kind": "table", "title": "Home", "access": "\(access)", "rows": "things",
              "select": "thing"},
            "thing": {"kind": "blank", "title": "{thing}", "parameters": ["thing"],
              "path": "/things/{thing}", "parent": "home"},
            "door": {"kind": "form", "title": "Log In", "access": "login", "submit": "log-in"}
            """, more: #""loginScene": "door", \#(more)"#)
        let search = PathSearch(app, Exploration.Limits(), onlyGestures: true)
        guard case .path(let way) = search.answer(from: .link(.path("/things/two")), to: "home")
        else {
            Issue.record("no way")
            return
        }
        #expect(way.before == before)
        #expect(way.steps == ["tap: { place: backButton, index: 0 } # Home"])
    }
}
