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
