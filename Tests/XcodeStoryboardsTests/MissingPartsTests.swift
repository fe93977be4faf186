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
        #expect(imported.has(.warning) && !imported.has(.error))
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
