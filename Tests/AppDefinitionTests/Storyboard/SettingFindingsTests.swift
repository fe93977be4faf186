import Testing

/// Tests of findings about settings that have no effect, or that do not fit the scene.
@Suite struct SettingFindingsTests {
    static let cases = [
        FindingCase(
            "an initial scene that is none of the segments",
            app: """
                "initialScene": "home",
                "segments": [{ "title": "A", "scene": "a" }, { "title": "B", "scene": "b" }]
                """,
            scenes: """
                "home": { "kind": "blank" }, "a": { "kind": "blank" }, "b": { "kind": "blank" }
                """,
            .warning(
                "initialScene", "is not one of the segments: the first segment is shown instead"),
            .warning("scenes.home", "no user can reach this scene")),
        FindingCase(
            "an image scene without an image", app: #""initialScene": "home""#,
            scenes: #""home": { "kind": "image" }"#,
            .warning("scenes.home", "shows no image: name one in `image`")),
        FindingCase(
            "a log-in of guests in a container of a scene for everyone",
            app: #""initialScene": "home", "loginScene": "door", "guests": true"#,
            scenes: """
                "home": { "kind": "blank", "access": "everyone" },
                "door": { "kind": "navigation", "root": "home" }
                """,
            .error("loginScene", "home does not have the access login")),
        FindingCase(
            "an optional parameter beside a button that shows no scene",
            app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "unwindActions": ["home"],
                  "buttons": [{ "title": "Item", "segue": "item" }],
                  "segues": [{ "identifier": "item", "kind": "show", "scene": "item" }] },
                "item": { "kind": "blank", "parameters": ["n?"],
                  "buttons": [{ "title": "Home", "segue": "home" },
                              { "title": "Part", "segue": "part" }],
                  "segues": [{ "identifier": "home", "kind": "unwind", "action": "home" },
                             { "identifier": "part", "kind": "show", "scene": "part" }] },
                "part": { "kind": "blank", "parameters": ["n"] }
                """,
            .warning("scenes.item.segues[1]", "part needs the parameter n")),
        FindingCase(
            "optional parameters that rows and refused gestures do not give",
            app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "table", "parameters": ["n?", "author?"], "rows": "authors",
                  "select": { "segue": "part" }, "shouldPop": false, "whenRefused": "ask",
                  "segues": [{ "identifier": "part", "kind": "show", "scene": "part" },
                             { "identifier": "ask", "kind": "present", "scene": "ask" }] },
                "part": { "kind": "blank", "parameters": ["n", "author"] },
                "ask": { "kind": "blank", "parameters": ["author"], "presentation": "formSheet" }
                """,
            .warning("scenes.home.segues[0]", "part needs the parameter n"),
            .warning("scenes.home.segues[1]", "ask needs the parameter author")),
        FindingCase(
            "a selection in listed rows", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "table", "rows": [{ "title": "A" }], "select": { "segue": "on" },
                          "segues": [{ "identifier": "on", "kind": "show", "scene": "home" }] }
                """,
            .error("scenes.home.select", "not allowed with listed rows: give each row a segue")),
        FindingCase(
            "a container that refuses a pop, and a tab with an unknown segue",
            app: #""initialScene": "tabs""#,
            scenes: """
                "home": { "kind": "blank" },
                "nav": { "kind": "navigation", "root": "home", "shouldPop": false },
                "tabs": { "kind": "tabBar", "tabs": [
                    { "scene": "nav", "shouldSelect": false, "whenRefused": "ask" } ] }
                """,
            .error("scenes.nav.shouldPop", "a container is on no stack"),
            .error("scenes.tabs.tabs[0].whenRefused", "no scene has a segue ask")),
        FindingCase(
            "rows and segues that are no dictionaries", app: #""initialScene": "home""#,
            scenes: #""home": { "kind": "table", "rows": ["A"], "segues": ["b"] }"#,
            .error("scenes.home.rows[0]", "expected a row (a dictionary), found a string"),
            .error("scenes.home.segues[0]", "expected a dictionary, found a string")),
        FindingCase(
            "an empty list of paths, and one that is too long", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "path": [] },
                "many": { "kind": "blank",
                          "path": [\((0...100).map { "\"/\($0)\"" }.joined(separator: ","))] }
                """,
            .error("scenes.home.path", "expected 1 to 100 paths, found 0"),
            .error("scenes.many.path", "expected 1 to 100 paths, found 101")),
    ]

    @Test("A setting that does not fit is found at its place", arguments: cases)
    func findings(_ each: FindingCase) throws { try each.run() }
}
