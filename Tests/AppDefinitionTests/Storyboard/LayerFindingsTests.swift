import Testing

@Suite struct LayerFindingsTests {
    private static let tabs = #""tabs": { "kind": "tabBar", "tabs": ["#

    static let ways = [
        FindingCase(
            "a misspelt unwind action", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "unwindActions": ["closePlayer"],
                          "segues": [{ "identifier": "play", "kind": "present", "scene": "player" }] },
                "player": { "kind": "blank",
                            "segues": [{ "identifier": "x", "kind": "unwind", "action": "closePlaier" }] }
                """,
            .error("scenes.player.segues[0].action", "did you mean closePlayer?")),
        FindingCase(
            "a dismissal of the root layer alone", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "play", "kind": "show", "scene": "player" }] },
                "player": { "kind": "blank", "segues": [{ "identifier": "close", "kind": "dismiss" }] }
                """,
            .error("scenes.player.segues[0].kind", "root layer only")),
        FindingCase(
            "a dismissal in both layers", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "play", "kind": "show", "scene": "player" },
                                     { "identifier": "mini", "kind": "present", "scene": "player" }] },
                "player": { "kind": "blank", "segues": [{ "identifier": "close", "kind": "dismiss" }] }
                """,
            .warning("scenes.player.segues[0].kind", "where home pushes it; use unwind")),
        FindingCase(
            "a dismissal of what a bare initial scene shows",
            app: #""initialScene": "home", "initialIsBare": true"#,
            scenes: """
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "play", "kind": "show", "scene": "player" }] },
                "player": { "kind": "blank", "segues": [{ "identifier": "close", "kind": "dismiss" }] }
                """),
        FindingCase(
            "a dismissal of a link's own layer", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank" },
                "gift": { "kind": "blank", "path": "/gift", "presentation": "formSheet",
                          "segues": [{ "identifier": "next", "kind": "show", "scene": "thanks" }] },
                "thanks": { "kind": "blank", "path": "/gift/thanks", "parent": "gift",
                            "segues": [{ "identifier": "close", "kind": "dismiss" }] }
                """),
        FindingCase(
            "a dismissal of what only code shows", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank" },
                "rating": { "kind": "blank", "segues": [{ "identifier": "close", "kind": "dismiss" }] }
                """,
            .warning("scenes.rating", "no user can reach this scene")),
        FindingCase(
            "a dismissal with the keys of other kinds", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "play", "kind": "present", "scene": "player" }] },
                "player": { "kind": "blank",
                            "segues": [{ "identifier": "a", "kind": "dismiss", "action": "home",
                                         "parameters": {}, "presentationStyle": "popover" }] }
                """,
            .error("scenes.player.segues[0].action", "unwind"),
            .error("scenes.player.segues[0].parameters", "dismiss"),
            .error("scenes.player.segues[0].presentationStyle", "present")),
        FindingCase(
            "a show of a container, which is refused on a stack", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "go", "kind": "show", "scene": "holder" }] },
                "holder": { "kind": "navigation", "root": "inner" },
                "inner": { "kind": "blank" }
                """,
            .warning("scenes.holder", "no user can reach this scene"),
            .warning("scenes.inner", "no user can reach this scene")),
        FindingCase(
            "a push from a bare initial scene, which is refused",
            app: #""initialScene": "home", "initialIsBare": true"#,
            scenes: """
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "go", "kind": "push", "scene": "detail" }] },
                "detail": { "kind": "blank" }
                """,
            .warning("scenes.detail", "no user can reach this scene")),
        FindingCase(
            "a selection in a bare tab, which is refused", app: #""initialScene": "tabs""#,
            scenes: tabs + """
                { "scene": "home" }] },
                "home": { "kind": "table", "rows": "authors", "select": "books" },
                "books": { "kind": "blank", "parameters": ["author"] }
                """,
            .warning("scenes.books", "no user can reach this scene")),
        FindingCase(
            "a show of a container from a bare initial scene, which presents it",
            app: #""initialScene": "home", "initialIsBare": true"#,
            scenes: """
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "go", "kind": "show", "scene": "holder" }] },
                "holder": { "kind": "navigation", "root": "inner" },
                "inner": { "kind": "blank" }
                """),
    ]

    static let traps = [
        FindingCase(
            "a layer that covers the screen and has no way out", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "segues": [
                            { "identifier": "play", "kind": "present", "scene": "player",
                              "presentationStyle": "fullScreen" },
                            { "identifier": "mini", "kind": "present", "scene": "player" }] },
                "player": { "kind": "blank" }
                """,
            .warning("scenes.home.segues[0]", "who gets to player from home cannot leave it")),
        FindingCase(
            "an automatic style, which is a sheet since iOS 13",
            app: #""initialScene": "home", "uikit": 13"#,
            scenes: """
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "play", "kind": "present", "scene": "player" }] },
                "player": { "kind": "blank" }
                """),
        FindingCase(
            "a sheet that a swipe does not close", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank",
                          "segues": [{ "identifier": "edit", "kind": "present", "scene": "holder" }] },
                "holder": { "kind": "navigation", "root": "editor", "isModalInPresentation": true },
                "editor": { "kind": "form" }
                """,
            .warning("scenes.home.segues[0]", "a segue of the kind dismiss")),
        FindingCase(
            "a way out of a scene that the layer pushes", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "segues": [
                            { "identifier": "tour", "kind": "present", "scene": "holder",
                              "presentationStyle": "fullScreen" }] },
                "holder": { "kind": "navigation", "root": "first" },
                "first": { "kind": "blank",
                           "segues": [{ "identifier": "next", "kind": "show", "scene": "second" }] },
                "second": { "kind": "blank", "segues": [{ "identifier": "x", "kind": "dismiss" }] }
                """),
        FindingCase(
            "a dismissal of a further layer is no way out", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "segues": [
                            { "identifier": "tour", "kind": "present", "scene": "first",
                              "presentationStyle": "fullScreen" }] },
                "first": { "kind": "blank",
                           "segues": [{ "identifier": "next", "kind": "show", "scene": "second" }] },
                "second": { "kind": "blank", "segues": [{ "identifier": "x", "kind": "dismiss" }] }
                """,
            .warning("scenes.home.segues[0]", "cannot leave")),
        FindingCase(
            "a push that is refused is no way out", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "unwindActions": ["done"], "segues": [
                            { "identifier": "tour", "kind": "present", "scene": "first",
                              "presentationStyle": "fullScreen" },
                            { "identifier": "next", "kind": "push", "scene": "second" }] },
                "first": { "kind": "blank",
                           "segues": [{ "identifier": "next", "kind": "push", "scene": "second" }] },
                "second": { "kind": "blank",
                            "segues": [{ "identifier": "x", "kind": "unwind", "action": "done" }] }
                """,
            .warning("scenes.home.segues[0]", "cannot leave")),
        FindingCase(
            "an unwinding from a further layer is a way out", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "unwindActions": ["done"], "segues": [
                            { "identifier": "tour", "kind": "present", "scene": "first",
                              "presentationStyle": "fullScreen" }] },
                "first": { "kind": "blank",
                           "segues": [{ "identifier": "next", "kind": "present", "scene": "second" }] },
                "second": { "kind": "blank",
                            "segues": [{ "identifier": "x", "kind": "unwind", "action": "done" }] }
                """),
        FindingCase(
            "one of two presenting scenes does not declare the action",
            app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "segues": [
                            { "identifier": "a", "kind": "show", "scene": "episode" },
                            { "identifier": "b", "kind": "show", "scene": "search" }] },
                "episode": { "kind": "blank", "unwindActions": ["closePlayer"],
                             "segues": [{ "identifier": "p", "kind": "present", "scene": "player" }] },
                "search": { "kind": "blank",
                            "segues": [{ "identifier": "p", "kind": "present", "scene": "player" }] },
                "player": { "kind": "blank", "presentation": "fullScreen",
                            "segues": [{ "identifier": "x", "kind": "unwind",
                                         "action": "closePlayer" }] }
                """,
            .warning("scenes.search.segues[0]", "does not declare closePlayer (episode does)")),
        FindingCase(
            "the root of another tab declares the action", app: #""initialScene": "tabs""#,
            scenes: tabs + """
                { "scene": "home" }, { "scene": "search" }] },
                "home": { "kind": "blank", "unwindActions": ["done"] },
                "search": { "kind": "blank",
                            "segues": [{ "identifier": "p", "kind": "show", "scene": "player" }] },
                "player": { "kind": "blank", "presentation": "fullScreen",
                            "segues": [{ "identifier": "x", "kind": "unwind", "action": "done" }] }
                """),
        FindingCase(
            "a link's layer can be over what declares the action", app: #""initialScene": "home""#,
            scenes: """
                "home": { "kind": "blank", "unwindActions": ["done"] },
                "gift": { "kind": "blank", "path": "/gift", "presentation": "formSheet", "segues": [
                            { "identifier": "p", "kind": "present", "scene": "player",
                              "presentationStyle": "fullScreen" }] },
                "player": { "kind": "blank",
                            "segues": [{ "identifier": "x", "kind": "unwind", "action": "done" }] }
                """),
    ]

    static let tabsAndLinks = [
        FindingCase(
            "a show from a link's own sheet presents", app: #""initialScene": "tabs""#,
            scenes: tabs + """
                { "scene": "home" }] },
                "home": { "kind": "blank", "path": "/" },
                "shop": { "kind": "blank", "path": "/shop",
                          "segues": [{ "identifier": "p", "kind": "show", "scene": "player" }] },
                "player": { "kind": "blank", "presentation": "fullScreen" }
                """,
            .warning("scenes.shop.path", "it opens in a sheet"),
            .warning("scenes.shop.segues[0]", "who gets to player from shop cannot leave it")),
        FindingCase(
            "a link above a bare tab of the log-in root",
            app: #""initialScene": "home", "loginScene": "logins""#,
            scenes: """
                "logins": { "kind": "tabBar", "tabs": [{ "scene": "login" }, { "scene": "help" }] },
                "home": { "kind": "blank" },
                "login": { "kind": "form", "access": "login", "submit": "log-in" },
                "help": { "kind": "blank", "access": "login", "path": "/help" },
                "topic": { "kind": "blank", "access": "login", "path": "/help/1", "parent": "help" }
                """,
            .warning("scenes.topic.path", "its tab help has no navigation controller"),
            .warning("scenes.topic", "no user can reach this scene")),
        FindingCase(
            "tabs behind a hidden tab bar", app: #""initialScene": "tabs""#,
            scenes: tabs + """
                { "scene": "home" }, { "scene": "search" }, { "scene": "stats" }] },
                "home": { "kind": "blank", "hidesBottomBarWhenPushed": true },
                "search": { "kind": "blank" },
                "stats": { "kind": "blank", "hidesBottomBarWhenPushed": true }
                """,
            .warning("scenes.tabs.tabs[1]", "tab bar is hidden"),
            .warning("scenes.tabs.tabs[2]", "hidesBottomBarWhenPushed of home")),
        FindingCase(
            "an unwinding ends at a tab with a tab bar", app: #""initialScene": "tabs""#,
            scenes: tabs + """
                { "scene": "home" }, { "scene": "search" }, { "scene": "stats" }] },
                "home": { "kind": "blank", "hidesBottomBarWhenPushed": true,
                          "segues": [{ "identifier": "s", "kind": "unwind", "action": "search" }] },
                "search": { "kind": "blank", "unwindActions": ["search"] },
                "stats": { "kind": "blank" }
                """),
        FindingCase(
            "links without a tab", app: #""initialScene": "tabs""#,
            scenes: tabs + """
                { "scene": "home" }] },
                "home": { "kind": "blank", "path": "/home" },
                "shop": { "kind": "blank", "path": "/shop" },
                "offer": { "kind": "blank", "path": "/shop/offer", "parent": "shop" },
                "gift": { "kind": "blank", "path": "/gift", "presentation": "pageSheet" }
                """,
            .warning("scenes.shop.path", "it opens in a sheet"),
            .warning("scenes.offer.path", "give shop a `parent` or a `presentation`")),
        FindingCase(
            "links of an app that starts without a navigation controller",
            app: #""initialScene": "map", "initialIsBare": true"#,
            scenes: """
                "map": { "kind": "blank", "path": "/map" },
                "pin": { "kind": "blank", "path": "/map/pin", "parent": "map" },
                "note": { "kind": "blank", "path": "/map/note", "parent": "map",
                          "presentation": "pageSheet" },
                "mine": { "kind": "blank", "path": "/mine" }
                """,
            .warning("scenes.pin.path", "give pin a `presentation`"),
            .warning("scenes.pin", "no user can reach this scene"),
            .warning("scenes.mine.path", "cannot be opened: the app starts without"),
            .warning("scenes.mine", "no user can reach this scene")),
        FindingCase(
            "links of the log-in root, which has no tabs",
            app: #""initialScene": "tabs", "loginScene": "login""#,
            scenes: tabs + """
                { "scene": "home" }] },
                "home": { "kind": "blank" },
                "login": { "kind": "form", "access": "login", "submit": "log-in" },
                "reset": { "kind": "form", "access": "login", "path": "/reset" }
                """),
    ]

    @Test("Each way that cannot be gone is a finding", arguments: ways)
    func findsWays(_ findingCase: FindingCase) throws { try findingCase.run() }

    @Test("Each layer that a user cannot leave is a finding", arguments: traps)
    func findsTraps(_ findingCase: FindingCase) throws { try findingCase.run() }

    @Test(
        "Each tab that is never shown, and each link without a tab, is a finding",
        arguments: tabsAndLinks)
    func findsTabsAndLinks(_ findingCase: FindingCase) throws { try findingCase.run() }
}
