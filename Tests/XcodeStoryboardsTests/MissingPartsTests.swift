import Testing

@testable import AppLoading

/// Tests of the cases in which a storyboard leaves something out.
@Suite struct MissingPartsTests {
    private static func scene(_ id: String, _ content: String = "") -> String {
        """
        <scene sceneID="scene-\(id)"><objects>
          <viewController id="\(id)" customClass="\(id)Controller" sceneMemberID="viewController">
            <connections>\(content)</connections>
          </viewController>
          <exit id="exit-\(id)" sceneMemberID="exit"/></objects></scene>
        """
    }

    private static let chain =
        scene("One", #"<segue id="s1" destination="Two" kind="show"/>"#)
        + scene("Two", #"<segue id="s2" destination="Three" kind="show"/>"#)
        + scene(
            "Three",
            #"""
            <segue id="u" destination="exit-Three" kind="unwind"
                unwindAction="backToOneController:"/>
            """#)

    @Test("A navigation controller without a root opens a blank scene, with a warning")
    func noRoot() throws {
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    """
                    <scene sceneID="1"><objects>
                      <navigationController id="nav" sceneMemberID="viewController"/>
                    </objects></scene>
                    """, initial: "nav")
            ]))
        #expect(imported.json.contains(#""nav": { "kind": "navigation", "root": "nav.content" }"#))
        #expect(imported.json.contains(#""nav.content": { "kind": "blank" }"#))
        #expect(imported.findings.map(\.object) == ["nav"])
        #expect(imported.hasWarnings)
    }

    @Test(
        "A blank scene replaces an initial scene that shows nothing",
        arguments: [
            #"<tabBarController id="start" sceneMemberID="viewController"/>"#,
            #"<splitViewController id="start" sceneMemberID="viewController"/>"#,
            #"<viewControllerPlaceholder storyboardName="X" id="start" sceneMemberID="viewController"/>"#,
        ])
    func emptyInitialScene(element: String) throws {
        let start = #"<scene sceneID="1"><objects>\#(element)</objects></scene>"#
        let imported = StoryboardImport(
            try XcodeProject([.of(start + Self.scene("One"), initial: "start")]))
        #expect(imported.json.contains(#""initialScene": "start.content""#))
        #expect(imported.json.contains(#""start.content": { "kind": "blank""#), "\(imported.json)")
    }

    /// A storyboard with a reference that leads nowhere, and a scene before the reference.
    /// - Parameter target: the attributes of the reference that name the scene.
    private static func unresolved(
        _ scene: String, initial: String,
        target: String = """
        storyboardName="Help" referencedIdentifier="index" bundleIdentifier="com.example.help"
        """
    ) throws -> XcodeProject {
        try XcodeProject([
            .of(
                scene
                    + """
                    <scene sceneID="1"><objects><viewControllerPlaceholder \(target) id="ref" \
                    sceneMemberID="viewController"/></objects></scene>
                    """, initial: initial)
        ])
    }

    private static func relationship(_ name: String) -> String {
        #"<segue destination="ref" kind="relationship" relationship="\#(name)"/>"#
    }

    @Test(
        "A blank scene replaces a reference that leads nowhere, with a warning",
        arguments: [
            (
                scene("One", #"<segue id="s1" destination="ref" kind="show"/>"#),
                #"{ "identifier": "s1", "kind": "show", "scene": "ref.content" }"#
            ),
            (
                scene("One", #"<segue id="s1" destination="ref" kind="presentation"/>"#),
                #"{ "identifier": "s1", "kind": "present", "scene": "ref.content" }"#
            ),
            (
                """
                <scene sceneID="0"><objects><navigationController id="One" \
                sceneMemberID="viewController"><connections>\(relationship("rootViewController"))
                </connections></navigationController></objects></scene>
                """, #"{ "kind": "navigation", "root": "ref.content" }"#
            ),
            (
                """
                <scene sceneID="0"><objects><tabBarController id="One" \
                sceneMemberID="viewController"><connections>\(relationship("viewControllers"))
                </connections></tabBarController></objects></scene>
                """, #"{ "kind": "tabBar", "tabs": [{ "scene": "ref.content" }] }"#
            ),
        ])
    func unresolvedReference(scene: String, member: String) throws {
        let imported = StoryboardImport(try Self.unresolved(scene, initial: "One"))
        #expect(imported.line.contains(member), "\(imported.line)")
        #expect(imported.line.contains(#""ref.content": { "kind": "blank" }"#))
        #expect(
            imported.findings.map(\.description) == [
                "warning: Main.storyboard: ref: the scene index of Help of the bundle "
                    + "com.example.help is missing, and a blank scene replaces the reference; "
                    + "import the folder of the whole project"
            ])
    }

    @Test("A reference to a scene that the storyboard lacks does not lead to the initial scene")
    func unknownIdentifier() throws {
        let imported = StoryboardImport(
            try Self.unresolved(
                Self.scene("One", #"<segue id="s1" destination="ref" kind="show"/>"#),
                initial: "One", target: #"referencedIdentifier="index""#))
        #expect(imported.line.contains(#""kind": "show", "scene": "ref.content""#))
        #expect(
            imported.findings.first?.description.contains(
                "the scene index of this storyboard is missing") == true)
    }

    @Test(
        "A segue whose destination is missing or whose kind is unknown cannot be performed",
        arguments: [
            (
                #"<segue id="s1" destination="Lost" kind="show"/>"#,
                "the destination Lost is not in the file: the segue cannot be performed"
            ),
            (
                #"<segue id="s1" destination="Lost" kind="presentation"/>"#,
                "the destination Lost is not in the file: the segue cannot be performed"
            ),
            (
                #"<segue id="s1" destination="One" kind="fade"/>"#,
                "a segue of the unknown kind fade: it cannot be performed"
            ),
        ])
    func inexecutable(segue: String, reason: String) throws {
        let imported = StoryboardImport(
            try XcodeProject([.of(Self.scene("One", segue), initial: "One")]))
        #expect(imported.line.contains(#""segues": [{ "identifier": "s1", "kind": "custom" }]"#))
        #expect(!imported.line.contains("buttons"))
        #expect(
            imported.findings.map(\.description)
                == ["warning: Main.storyboard: s1: \(reason)"])
    }

    @Test("A scene that embeds a missing one is imported without it, with a warning")
    func missingEmbedded() throws {
        let segue = #"<segue id="e" destination="Lost" kind="embed"/>"#
        let imported = StoryboardImport(
            try XcodeProject([.of(Self.scene("One", segue), initial: "One")]))
        #expect(imported.line.contains(#""OneController": { "kind": "blank" }"#))
        #expect(
            imported.findings.map(\.description) == [
                "warning: Main.storyboard: e: embeds Lost, which is not in the file: it is left out"
            ])
    }

    @Test("A tab whose references lead to each other has no title, and a blank scene")
    func endlessReferences() throws {
        func reference(_ id: String, to other: String) -> String {
            """
            <scene sceneID="\(id)"><objects><viewControllerPlaceholder id="\(id)" \
            storyboardIdentifier="\(id)" referencedIdentifier="\(other)" \
            sceneMemberID="viewController"/></objects></scene>
            """
        }
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    """
                    <scene sceneID="0"><objects><tabBarController id="tabs" \
                    sceneMemberID="viewController"><connections>
                    \(Self.relationship("viewControllers"))</connections></tabBarController>
                    </objects></scene>
                    """ + reference("ref", to: "back") + reference("back", to: "ref"),
                    initial: "tabs")
            ]))
        #expect(
            imported.line.contains(#""tabs": [{ "scene": "ref.content" }]"#), "\(imported.line)")
    }

    @Test("An initial scene without content is left out if the options name another one")
    func replacedInitialScene() throws {
        let start = """
            <scene sceneID="1"><objects>
              <tabBarController id="start" sceneMemberID="viewController"/>
            </objects></scene>
            """
        var options = ImportOptions()
        options.members = ["initialScene": "One"]
        let imported = StoryboardImport(
            try XcodeProject([.of(start + Self.scene("One"), initial: "start")]), options: options)
        #expect(!imported.json.contains("start.content"), "\(imported.json)")
    }

    @Test(
        "A segue that starts at a container is left out, with a warning",
        arguments: [
            ("navigationController", "rootViewController", "navigation controller"),
            ("tabBarController", "viewControllers", "tab bar controller"),
            ("splitViewController", "masterViewController", "split view controller"),
        ])
    func segueOfContainer(element: String, relationship: String, kind: String) throws {
        let imported = StoryboardImport(
            try XcodeProject([
                .of(
                    """
                    <scene sceneID="1"><objects>
                      <\(element) id="container" sceneMemberID="viewController"><connections>
                        <segue destination="One" kind="relationship" relationship="\(relationship)"/>
                        <segue destination="Two" kind="push" identifier="Second" id="s"/>
                      </connections></\(element)></objects></scene>
                    """ + Self.scene("One") + Self.scene("Two"), initial: "container")
            ]))
        let finding = try #require(imported.findings.last { $0.object == "s" })
        #expect(
            finding.reason
                == "a segue to TwoController that starts at a \(kind): it is left out; a scene in "
                + "the container can have it, in the import options, scenes.NAME.segues")
        #expect(finding.severity == .warning)
        #expect(!imported.json.contains("Second"))
    }

    @Test("The class in the name of an unwind action decides between several ancestors")
    func className() throws {
        let imported = StoryboardImport(try XcodeProject([.of(Self.chain, initial: "One")]))
        #expect(imported.findings.isEmpty)
        #expect(try actions(of: imported) == ["OneController"])
    }

    @Test("The options decide over the class in the name of an unwind action")
    func options() throws {
        var options = ImportOptions()
        options.unwindActions = ["backToOneController:": ["TwoController"]]
        let imported = StoryboardImport(
            try XcodeProject([.of(Self.chain, initial: "One")]), options: options)
        #expect(imported.findings.isEmpty)
        #expect(try actions(of: imported) == ["TwoController"])
    }

    /// Returns the names of the scenes that have unwind actions.
    private func actions(of imported: StoryboardImport) throws -> [String] {
        let parts = imported.json.split(separator: "\n    \"").dropFirst()
        return parts.filter { $0.contains("\"unwindActions\"") }
            .map { String($0.prefix { $0 != "\"" }) }
    }
}
