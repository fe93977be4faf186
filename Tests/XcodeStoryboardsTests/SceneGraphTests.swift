import Foundation
import TestSupport
import Testing

@testable import AppLoading

/// Tests of which scenes a storyboard has: their names, the embedded ones, and those that only code
/// shows.
@Suite struct SceneGraphTests {
    private static func scene(
        _ id: String, attributes: String = "", kind: String = "viewController",
        _ connections: String = ""
    ) -> String {
        """
        <scene sceneID="scene-\(id)"><objects>
          <\(kind) id="\(id)" \(attributes) sceneMemberID="viewController">
            <connections>\(connections)</connections></\(kind)>
          <exit id="exit-\(id)" sceneMemberID="exit"/></objects></scene>
        """
    }

    private static func segue(_ id: String, to destination: String, _ kind: String = "show")
        -> String
    {
        #"<segue id="\#(id)" destination="\#(destination)" kind="\#(kind)"/>"#
    }

    private static func tab(_ destination: String) -> String {
        """
        <segue id="t-\(destination)" destination="\(destination)" kind="relationship" \
        relationship="viewControllers"/>
        """
    }

    private static func root(_ destination: String) -> String {
        """
        <segue id="r-\(destination)" destination="\(destination)" kind="relationship" \
        relationship="rootViewController"/>
        """
    }

    private func scenes(_ imported: StoryboardImport) throws -> [String] {
        let json = try JSONSerialization.jsonObject(with: Data(imported.json.utf8))
        let scenes = (json as? [String: Any])?["scenes"] as? [String: Any]
        return try #require(scenes).keys.sorted()
    }

    // MARK: Names

    @Test("The names of scenes do not change when the project gets another storyboard")
    func names() throws {
        func storyboard(_ name: String, initial: String? = nil) throws -> XcodeStoryboard {
            try .of(
                Self.scene("a", attributes: #"storyboardIdentifier="About""#)
                    + Self.scene("b", attributes: #"customClass="Detail""#)
                    + Self.scene("c", attributes: #"customClass="Page""#)
                    + Self.scene("d", attributes: #"customClass="Page""#), initial: initial,
                name: name)
        }
        let main = try storyboard("Main", initial: "a")
        let other = try storyboard("Other")
        var before: Set<String> = []
        for project in [[main], [main, other], try [storyboard("Early"), main, other]] {
            let names = try Set(scenes(StoryboardImport(XcodeProject(project))))
            #expect(before.isSubset(of: names))
            #expect(names.count == project.count * 4)
            before = names
        }
        #expect(
            before.subtracting(before.filter { $0.hasPrefix("Early/") }) == [
                "About", "Detail", "c", "d", "Other/About", "Other/Detail", "Other/c", "Other/d",
            ])
    }

    @Test("A scene has the name of its identifier, also if this is the class of another scene")
    func identifierAndClass() throws {
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    Self.scene(
                        "a", attributes: #"storyboardIdentifier="Detail" customClass="Detail""#)
                        + Self.scene("b", attributes: #"customClass="Detail""#)
                        + Self.scene("c", attributes: #"customClass="Page""#)
                        + Self.scene("d", attributes: #"storyboardIdentifier="Page""#),
                    initial: "a")
            ]))
        #expect(try scenes(imported) == ["Detail", "Page", "b", "c"])
    }

    // MARK: Embedded scenes

    @Test("A scene that others only embed is no scene, and gives them its segues and actions")
    func embedded() throws {
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    Self.scene("nav", kind: "navigationController", Self.root("home"))
                        + Self.scene("home", Self.segue("e", to: "part", "embed"))
                        + Self.scene(
                            "part", attributes: #"customClass="Part""#, Self.segue("s", to: "next"))
                        + Self.scene(
                            "next",
                            #"<segue id="u" destination="exit-next" kind="unwind" "#
                                + #"unwindAction="backToPart:"/>"#), initial: "nav")
            ]))
        #expect(try scenes(imported) == ["home", "nav", "next"])
        #expect(imported.json.contains(#"{ "identifier": "s", "kind": "show", "scene": "next" }"#))
        #expect(imported.json.contains(#""unwindActions": ["backToPart:"]"#))
        #expect(!imported.hasWarnings)
    }

    @Test("The contents of an embedded container are part of the scene that embeds it")
    func embeddedContainer() throws {
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    Self.scene("home", Self.segue("e", to: "nav", "embed"))
                        + Self.scene("nav", kind: "navigationController", Self.root("list"))
                        + Self.scene("list", Self.segue("s", to: "detail"))
                        + Self.scene("detail"), initial: "home")
            ]))
        #expect(try scenes(imported) == ["detail", "home"])
        #expect(
            imported.json.contains(#"{ "identifier": "s", "kind": "show", "scene": "detail" }"#))
        #expect(imported.findings.map(\.object) == ["e"])
        #expect(imported.hasWarnings)
    }

    @Test(
        "An embedded scene that is also shown or that the app starts with is a scene",
        arguments: [
            (segue("e", to: "part", "embed") + segue("s", to: "part"), "home"),
            (segue("e", to: "part", "embed"), "part"),
        ])
    func embeddedAndShown(connections: String, initial: String) throws {
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    Self.scene("home", connections) + Self.scene("part"), initial: initial)
            ]))
        #expect(try scenes(imported) == ["home", "part"])
    }

    @Test("A control of an embedded scene in another storyboard may have the same object id")
    func embeddedInOtherStoryboard() throws {
        let main = try XcodeStoryboard.of(
            """
            <scene sceneID="1"><objects>
              <viewController id="home" sceneMemberID="viewController">
                <navigationItem key="navigationItem" id="n">
                  <barButtonItem key="rightBarButtonItem" title="Share" id="5"/></navigationItem>
                <connections>\(Self.segue("e", to: "ref", "embed"))</connections>
              </viewController></objects></scene>
            <scene sceneID="2"><objects><viewControllerPlaceholder storyboardName="Other" id="ref" \
            sceneMemberID="viewController"/></objects></scene>
            """, initial: "home")
        let other = try XcodeStoryboard.of(
            """
            <scene sceneID="1"><objects>
              <viewController id="inner" sceneMemberID="viewController">
                <view key="view" id="v"><subviews><button id="5">
                  <state key="normal" title="Delete"/>
                  <connections>\(Self.segue("del", to: "next"))</connections>
                </button></subviews></view></viewController></objects></scene>
            """ + Self.scene("next"), initial: "inner", name: "Other")
        let imported = StoryboardImport(try XcodeProject([main, other]))
        #expect(imported.json.contains(#""rightItems": ["Share"]"#), "\(imported.json)")
        #expect(imported.json.contains(#"{ "title": "Delete", "segue": "del" }"#))
    }

    // MARK: Scenes that code shows

    @Test(
        "The sources of a project say which scenes code creates by their identifiers",
        arguments: [
            #"let a = storyboard!.instantiateViewController(withIdentifier: "Player") as! Player"#,
            #"storyboard.instantiateViewController(identifier: "Player") { Player($0) }"#,
            "board.instantiateViewController(\n    withIdentifier: \"Player\")",
            #"[self.storyboard instantiateViewControllerWithIdentifier:@"Player"];"#,
        ])
    func instantiated(source: String) {
        #expect(SourceFile(source).instantiated == ["Player"])
    }

    @Test("An identifier that is no literal at the call is not found")
    func notInstantiated() {
        let source = #"instantiateViewController(withIdentifier: player); log("Player")"#
        #expect(SourceFile(source).instantiated.isEmpty)
    }

    @Test("A scene that only code shows is marked, and noted")
    func shownByCode() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            Data(
                XcodeStoryboard.bytes(
                    Self.scene("home", Self.segue("s", to: "shown"))
                        + Self.scene("shown", attributes: #"storyboardIdentifier="Shown""#)
                        + Self.scene(
                            "player", attributes: #"storyboardIdentifier="Player""#,
                            Self.segue("t", to: "queue")) + Self.scene("queue")
                        + Self.scene("lost"), initial: "home")), to: "Main.storyboard")
        try folder.write(
            """
            instantiateViewController(withIdentifier: "Player")
            instantiateViewController(withIdentifier: "Shown")
            """, to: "Home.swift")
        let imported = try ImportSource(paths: [folder.path]).run()
        #expect(imported.json.ranges(of: "shownByCode").count == 1)
        #expect(imported.json.contains(#""Player": {"#))
        let notes = imported.findings.filter { $0.severity == .note }
        #expect(notes.map(\.object) == ["player"])
        #expect(notes.first?.reason.hasPrefix("only code shows Player") == true)
    }

    // MARK: The start and the tabs

    @Test(
        "An app that starts with a plain view controller starts without a navigation bar",
        arguments: [
            ("home", true), ("nav", false), ("tabs", false), ("split", false), ("empty", false),
        ])
    func bareInitial(initial: String, isBare: Bool) throws {
        let storyboard =
            Self.scene("home") + Self.scene("nav", kind: "navigationController", Self.root("home"))
            + Self.scene("tabs", kind: "tabBarController", Self.tab("home"))
            + Self.scene("empty", kind: "tabBarController")
            + Self.scene(
                "split", kind: "splitViewController",
                """
                <segue id="m" destination="nav" kind="relationship" \
                relationship="masterViewController"/>
                """)
        let project = try XcodeProject([.of(storyboard, initial: initial)])
        #expect(
            StoryboardImport(project).json.contains(#""initialIsBare": true"#) == isBare)
        var options = ImportOptions()
        options.members = ["initialScene": "nav"]
        #expect(!StoryboardImport(project, options: options).json.contains("initialIsBare"))
    }

    @Test(
        "An unwind segue of a tab's root ends in the other tab, if there is only one",
        arguments: [(1, true), (2, false)])
    func otherTabs(others: Int, isFound: Bool) throws {
        let names = (1...others).map { "other\($0)" }
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    Self.scene(
                        "tabs", kind: "tabBarController",
                        ([names[0], "here"] + names.dropFirst()).map(Self.tab).joined())
                        + names.map { Self.scene($0) }.joined()
                        + Self.scene(
                            "here",
                            #"<segue id="u" destination="exit-here" kind="unwind" "#
                                + #"unwindAction="leave:"/>"#), initial: "tabs")
            ]))
        #expect(imported.json.contains(#""unwindActions": ["leave:"]"#) == isFound)
        #expect(
            imported.findings.map(\.reason) == [
                isFound
                    ? #"no file says which scene has "leave:": other1 is used, the only other tab; "#
                        + "confirm this in the import options: "
                        + #"{ "unwindActions": { "leave:": ["other1"] } }"#
                    : #"no file says which scene has "leave:": the segue cannot be performed; "#
                        + "name the scene in the import options, such as "
                        + #"{ "unwindActions": { "leave:": ["…"] } }"#
            ])
    }

    @Test("A segue that shows a tab bar controller presents it in full screen, with a warning")
    func shownTabBar() throws {
        // Two scenes lead to the tab, `home` and `other`, so that each of them may have the action.
        let leave =
            #"<segue id="u" destination="exit-tab" kind="unwind" unwindAction="leave:"/>"#
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    Self.scene("nav", kind: "navigationController", Self.root("home"))
                        + Self.scene("home", Self.segue("s", to: "tabs"))
                        + Self.scene("other", Self.segue("t", to: "home"))
                        + Self.scene("tabs", kind: "tabBarController", Self.tab("tab"))
                        + Self.scene("tab", leave), initial: "nav")
            ]))
        #expect(
            imported.line.contains(
                #"{ "identifier": "s", "kind": "present", "scene": "tabs", "#
                    + #""presentationStyle": "fullScreen" }"#))
        #expect(
            imported.findings.map(\.description) == [
                "warning: Main.storyboard: s: shows a tab bar controller, which does not belong "
                    + "on a stack: it is presented",
                #"warning: Main.storyboard: u: no file says which scene has "leave:": the segue "#
                    + "dismisses the layer of tab; if it unwinds to a scene, name the scene in the "
                    + #"import options: { "unwindActions": { "leave:": ["home"] } }"#,
            ])
        // The scenes in the tabs are in a layer, which their unwind segues dismiss.
        #expect(imported.line.contains(#"{ "identifier": "u", "kind": "dismiss" }"#))
    }

    @Test(
        "A segue of a scene that is in no navigation controller shows one whole, else its root",
        arguments: [
            (initial: "home", other: "", named: nil, shown: "nav"),
            (initial: "outer", other: "", named: nil, shown: "list"),
            // The scene in the navigation controller pushes `home`, too.
            (initial: "home", other: segue("t", to: "home"), named: nil, shown: "list"),
            // The initial scene that the options name is in a navigation controller.
            (initial: "home", other: "", named: "home", shown: "list"),
        ] as [(initial: String, other: String, named: String?, shown: String)])
    func shownNavigation(
        initial: String, other: String, named: String?, shown: String
    ) throws {
        var scenes =
            Self.scene("home", Self.segue("s", to: "nav"))
            + Self.scene("nav", kind: "navigationController", Self.root("list"))
            + Self.scene("list", other)
        if initial == "outer" {
            scenes += Self.scene("outer", kind: "navigationController", Self.root("home"))
        }
        var options = ImportOptions()
        if let named { options.members = ["initialScene": .string(named)] }
        let imported = StoryboardImport(
            try XcodeProject([.of(scenes, initial: initial)]), options: options)
        #expect(
            imported.line.contains(
                "{ \"identifier\": \"s\", \"kind\": \"show\", \"scene\": \"\(shown)\" }"),
            "\(imported.line)")
        #expect(imported.findings.map(\.object) == (shown == "nav" ? [] : ["s"]))
    }

    @Test(
        "A showDetail segue outside a split view controller, which UIKit presents, is a warning",
        // The service presents the destination, too, if its presenter is in no container.
        arguments: [("nav", true), ("split", false), ("home", false)])
    func showDetail(initial: String, isReported: Bool) throws {
        let navigation = Self.scene("nav", kind: "navigationController", Self.root("home"))
        let containers = [
            "nav": navigation,
            "split": navigation
                + Self.scene(
                    "split", kind: "splitViewController",
                    #"<segue id="m" destination="nav" kind="relationship" "#
                        + #"relationship="masterViewController"/>"#),
        ]
        let scenes =
            (containers[initial] ?? "") + Self.scene("home", Self.segue("s", to: "list"))
            + Self.scene("list", Self.segue("d", to: "detail", "showDetail"))
            + Self.scene("detail")
        let imported = StoryboardImport(try XcodeProject([.of(scenes, initial: initial)]))
        let reported = imported.findings.filter { $0.object == "d" }
        #expect(reported.map(\.severity) == (isReported ? [.warning] : []))
    }

    @Test("A page view controller is a blank scene, with a warning") func pages() throws {
        let imported = StoryboardImport(
            try XcodeProject([
                .of(Self.scene("pages", kind: "pageViewController"), initial: "pages")
            ]))
        #expect(imported.line.contains(#""pages": { "kind": "blank" }"#))
        #expect(
            imported.findings.map(\.description) == [
                "warning: Main.storyboard: pages: a page view controller: its pages come from code"
            ])
    }

    @Test(
        "A scene without a title has that of its tab bar item, unless it would be a placeholder",
        arguments: [
            (#"title="Books""#, #"{ "kind": "blank", "title": "Books" }"#),
            (#"title="{books}""#, #"{ "kind": "blank" }"#),
            (#"systemItem="search""#, #"{ "kind": "blank" }"#),
        ])
    func titleOfTab(item: String, scene: String) throws {
        let content = #"</connections><tabBarItem key="tabBarItem" \#(item)/><connections>"#
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    Self.scene("tabs", kind: "tabBarController", Self.tab("tab"))
                        + Self.scene("tab", content), initial: "tabs")
            ]))
        #expect(imported.line.contains("\"tab\": \(scene)"), "\(imported.line)")
    }
}
