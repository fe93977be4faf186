import Testing

@Suite struct GuestAndFlagFindingsTests {
    private static let guests = #""initialScene": "home", "loginScene": "login", "guests": true"#
    private static let home = #""home": { "kind": "blank", "access": "everyone" }"#
    private static let login =
        #""login": { "kind": "form", "access": "login", "submit": "log-in" }"#

    static let access = [
        FindingCase(
            "guests without a log-in scene", app: #""initialScene": "home", "guests": true"#,
            scenes: #""home": { "kind": "blank" }"#, .error("guests", "needs a loginScene")),
        FindingCase(
            "scenes for everyone without guests",
            app: #""initialScene": "home", "loginScene": "login""#, scenes: "\(home), \(login)",
            .error("scenes.home.access", "only an app with `guests`")),
        FindingCase(
            "the former name of members", app: #""initialScene": "home""#,
            scenes: #""home": { "kind": "blank", "access": "app" }"#,
            .error("scenes.home.access", "app is called members now")),
        FindingCase(
            "An access that is no string is one defect", app: #""initialScene": "home""#,
            scenes: #""home": { "kind": "blank", "access": 5 }"#,
            .error("scenes.home.access", "expected a string, found an integer")),
        FindingCase(
            "a members' scene is the first", app: guests,
            scenes: #""home": { "kind": "blank" }, \#(login)"#,
            .error("initialScene", "guests see home first")),
        FindingCase(
            "a members' segment is the first",
            app: guests + #", "segments": [{ "scene": "mine" }, { "scene": "home" }]"#,
            scenes: #""mine": { "kind": "blank" }, \#(home), \#(login)"#,
            .error("segments[0].scene", "guests see mine first")),
        FindingCase(
            "a log-in scene in a tab of the app",
            app: #""initialScene": "tabs", "loginScene": "login", "guests": true"#,
            scenes: #"""
                "tabs": { "kind": "tabBar", "tabs": [{ "scene": "home" }, { "scene": "login" }] },
                \#(home), \#(login)
                """#,
            .error("initialScene", "login is a log-in scene")),
        FindingCase(
            "an app of members and guests",
            app: #""initialScene": "tabs", "loginScene": "login", "guests": true"#,
            scenes: #"""
                "tabs": { "kind": "tabBar", "tabs": [{ "scene": "home" }, { "scene": "mine" }] },
                "mine": { "kind": "blank", "segues": [
                            { "identifier": "box", "kind": "present", "scene": "box" }] },
                "box": { "kind": "tabBar", "tabs": [{ "scene": "home" }, { "scene": "mine" }] },
                \#(home), \#(login)
                """#),
        FindingCase(
            "members lead to the log-in, and the log-in to members", app: guests,
            scenes: #"""
                "home": { "kind": "blank", "access": "everyone",
                          "segues": [{ "identifier": "a", "kind": "show", "scene": "mine" }] },
                "mine": { "kind": "blank",
                          "segues": [{ "identifier": "a", "kind": "present", "scene": "login" }] },
                "login": { "kind": "form", "access": "login", "submit": "log-in",
                           "segues": [{ "identifier": "a", "kind": "show", "scene": "mine" }] }
                """#,
            .error("scenes.login.segues[0]", "always lost"),
            .error("scenes.mine.segues[0]", "always refused")),
        FindingCase(
            "segues between the two roots of an app without guests",
            app: #""initialScene": "home", "loginScene": "login""#,
            scenes: #"""
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "a", "kind": "show", "scene": "help" },
                                     { "identifier": "b", "kind": "show", "scene": "mine" }] },
                "mine": { "kind": "blank" },
                "login": { "kind": "form", "access": "login", "submit": "log-in",
                           "segues": [{ "identifier": "a", "kind": "present", "scene": "box" },
                                      { "identifier": "b", "kind": "push", "scene": "mine" }] },
                "help": { "kind": "blank", "access": "login" },
                "box": { "kind": "navigation", "root": "inner" }, "inner": { "kind": "blank" }
                """#,
            .warning("scenes.home.segues[0]", "always refused: help belongs to the other root"),
            .warning("scenes.login.segues[0]", "always refused: box belongs to the other root"),
            .warning("scenes.login.segues[1]", "always refused: mine belongs to the other root"),
            .warning("scenes.help", "no user can reach this scene"),
            .warning("scenes.box", "no user can reach this scene"),
            .warning("scenes.inner", "no user can reach this scene")),
        FindingCase(
            "only what the log-in shows leads to a members' scene", app: guests,
            scenes: #"""
                \#(home),
                "login": { "kind": "form", "access": "login", "submit": "log-in",
                           "segues": [{ "identifier": "a", "kind": "show", "scene": "terms" }] },
                "terms": { "kind": "blank", "access": "everyone",
                           "segues": [{ "identifier": "a", "kind": "show", "scene": "mine" }] },
                "mine": { "kind": "blank" }
                """#,
            .error("scenes.mine", "no user can reach this scene")),
        FindingCase(
            "a link of everyone's scene has a members' scene below", app: guests,
            scenes: #"""
                \#(home), \#(login),
                "mine": { "kind": "blank", "parent": "home", "path": "/mine" },
                "show": { "kind": "blank", "access": "everyone", "parent": "mine",
                          "path": "/mine/show" }
                """#,
            .warning("scenes.show.parent", "guests are asked to log in")),
        FindingCase(
            "a log-in that covers the screen", app: guests,
            scenes: #"""
                \#(home),
                "login": { "kind": "form", "access": "login", "submit": "log-in",
                           "presentation": "fullScreen" }
                """#,
            .warning("loginScene", "cannot go back")),
        FindingCase(
            "a log-in that covers the screen, with a way out", app: guests,
            scenes: #"""
                \#(home),
                "login": { "kind": "form", "access": "login", "submit": "log-in",
                           "presentation": "fullScreen",
                           "segues": [{ "identifier": "a", "kind": "show", "scene": "signUp" }] },
                "signUp": { "kind": "form", "access": "login", "submit": "sign-up",
                            "segues": [{ "identifier": "x", "kind": "dismiss" }] }
                """#),
        FindingCase(
            "no form to log in", app: #""initialScene": "home", "loginScene": "login""#,
            scenes: #""home": { "kind": "blank" }, "login": { "kind": "form", "access": "login" }"#,
            .warning("loginScene", "nobody can log in")),
        FindingCase(
            "no form to log in, and only what users do",
            app: #""initialScene": "home", "loginScene": "login", "strict": true"#,
            scenes: #""home": { "kind": "blank" }, "login": { "kind": "form", "access": "login" }"#,
            .error("loginScene", "nobody can log in")),
    ]

    private static func flags(
        _ description: String, flags: String, home: String, _ findings: Finding...
    )
        -> FindingCase
    {
        FindingCase(
            description, app: #""initialScene": "home", "flags": { \#(flags) }"#,
            scenes: #""home": { "kind": "table", \#(home) }"#, findings: findings)
    }

    static let flags = [
        flags(
            "misspelt flags", flags: #""subscribed": false"#,
            home: """
                "rows": [{ "title": "Buy", "set": { "subscribd": true }, "when": "!subscribed" },
                         { "title": "Play", "when": "subscribe" }]
                """,
            .error("scenes.home.rows[0].set", "did you mean subscribed?"),
            .error("scenes.home.rows[1].when", "did you mean subscribed?")),
        flags(
            "names that are not allowed", flags: #""loggedIn": true, "2nd": true, "ok": 1"#,
            home: #""buttons": [{ "title": "A", "set": { "loggedIn": true } }]"#,
            .error("flags.loggedIn", "reserved"), .error("flags.2nd", "a letter"),
            .error("flags.ok", "expected a boolean"),
            .error("scenes.home.buttons[0].set", "loggedIn")),
        flags(
            "a seventeenth flag",
            flags: (0...16).map { #""f\#($0)": true"# }.joined(separator: ", "),
            home: (0...16).map { #"{ "title": "A", "set": {}, "when": "f\#($0)" }"# }
                .joined(separator: ", ").wrapped,
            .error("flags", "16 flags at most")),
        flags(
            "a flag that no condition names", flags: #""a": true"#,
            home: #""buttons": [{ "title": "A", "set": { "a": false } }]"#,
            .warning("flags.a", "no `when` names it")),
        flags(
            "a control that sets what is already so", flags: #""a": true"#,
            home: """
                "navigationItem": { "rightItems": [{ "title": "A", "when": "!a",
                                                     "set": { "a": false } }] }
                """,
            .warning("scenes.home.navigationItem.rightItems[0].set", "already")),
        flags(
            "the log-in state in an app without a log-in", flags: "",
            home: #""buttons": [{ "title": "A", "set": {}, "when": "loggedIn" }]"#,
            .error("scenes.home.buttons[0].when", "loginScene")),
        flags(
            "segues of one name", flags: #""a": true, "b": true"#,
            home: """
                "segues": [{ "identifier": "x", "kind": "show", "scene": "home", "when": "a" },
                           { "identifier": "x", "kind": "present", "scene": "home", "when": "!a" },
                           { "identifier": "y", "kind": "show", "scene": "home", "when": "a" },
                           { "identifier": "y", "kind": "show", "scene": "home", "when": "!b" },
                           { "identifier": "x", "kind": "present", "scene": "home", "when": "a" }]
                """,
            .error("scenes.home.segues[3].identifier", "taken"),
            .error("scenes.home.segues[4].identifier", "taken")),
        flags(
            "conditions where none can be", flags: #""a": true"#,
            home: #""when": "a", "buttons": [{ "title": "A", "when": "a" }]"#,
            .error("scenes.home.when", "a scene has no condition"),
            .error("scenes.home.buttons[0]", "name a `segue`")),
    ]

    @Test("Each mistake about guests and members is a finding", arguments: access)
    func findsAccess(_ findingCase: FindingCase) throws { try findingCase.run() }

    @Test("Each mistake about flags is a finding", arguments: flags)
    func findsFlags(_ findingCase: FindingCase) throws { try findingCase.run() }
}

extension String {
    /// The text as the buttons of a scene.
    fileprivate var wrapped: String { #""buttons": [\#(self)]"# }
}
