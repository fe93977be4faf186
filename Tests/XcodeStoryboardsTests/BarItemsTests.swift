import Testing

@testable import AppLoading

/// Tests of the items in navigation bars and toolbars.
@Suite struct BarItemsTests {
    /// Returns the imported storyboard of an app that starts with a page.
    /// - Parameters:
    ///   - item: the content of the page's navigation item, with its attributes.
    ///   - toolbar: the page's element `toolbarItems`.
    ///   - navigation: attributes of the navigation controller around the page.
    private func imported(
        item: String, toolbar: String = "", navigation: String = "", _ options: ImportOptions
    ) throws -> StoryboardImport {
        StoryboardImport(
            try XcodeProject([
                .of(
                    """
                    <scene sceneID="1"><objects>
                      <navigationController id="nav" \(navigation) sceneMemberID="viewController"><connections>
                        <segue id="r" destination="page" kind="relationship" \
                    relationship="rootViewController"/></connections></navigationController>
                    </objects></scene>
                    <scene sceneID="2"><objects>
                      <viewController id="page" customClass="Page" sceneMemberID="viewController">
                        \(toolbar)
                        <navigationItem key="navigationItem" id="n" \(item)</navigationItem>
                      </viewController></objects></scene>
                    <scene sceneID="3"><objects>
                      <viewController id="two" customClass="Two" sceneMemberID="viewController"/>
                    </objects></scene>
                    """, initial: "nav")
            ]), options: options)
    }

    private func page(item: String, toolbar: String = "") throws -> String {
        let imported = try imported(
            item: item, toolbar: toolbar, navigation: #"toolbarHidden="NO""#, ImportOptions())
        #expect(imported.findings.isEmpty)
        return imported.line
    }

    private static let items = """
        <barButtonItem systemItem="add" id="b1"><connections>
          <segue id="s1" destination="two" kind="show" identifier="go"/></connections>
        </barButtonItem>
        <barButtonItem systemItem="flexibleSpace" id="b2"/>
        <barButtonItem title="Second" id="b3"/>
        """
    private static let imported = #"[{ "title": "Add", "segue": "go" }, "Second"]"#

    @Test(
        "Several items on a side keep their order and their segues, as Interface Builder writes them",
        arguments: ["left", "right"])
    func several(side: String) throws {
        let element = "\(side)BarButtonItems"
        let json = try page(item: "><\(element)>\(Self.items)</\(element)>")
        #expect(json.contains("\"\(side)Items\": \(Self.imported)"))
        #expect(!json.contains("buttons"))
        // Other arrays of Interface Builder have their name as a key.
        #expect(
            try page(item: "><array key=\"\(element)\">\(Self.items)</array>") == json)
    }

    @Test("A single item on a side has the side as its key")
    func single() throws {
        let json = try page(
            item: """
                leftItemsSupplementBackButton="YES">
                <barButtonItem key="leftBarButtonItem" title="Left" id="b1"/>
                <barButtonItem key="rightBarButtonItem" title="Right" id="b2"/>
                """)
        #expect(json.contains(#""leftItems": ["Left"], "leftItemsSupplementBackButton": true"#))
        #expect(json.contains(#""rightItems": ["Right"]"#))
    }

    @Test("The items of a toolbar keep their order and their segues")
    func toolbar() throws {
        let json = try page(item: ">", toolbar: "<toolbarItems>\(Self.items)</toolbarItems>")
        #expect(json.contains("\"toolbarItems\": \(Self.imported)"))
        #expect(!json.contains("buttons"))
    }

    @Test("A hidden navigation bar, and items in a hidden toolbar, are warnings")
    func hiddenBars() throws {
        let items = "<toolbarItems>\(Self.items)</toolbarItems>"
        func warnings(
            _ navigation: String, _ options: ImportOptions = ImportOptions()
        ) throws -> [String] {
            try imported(item: ">", toolbar: items, navigation: navigation, options).findings.map {
                "\($0.severity) \($0.object) \($0.reason.prefix { $0 != ":" })"
            }
        }
        let toolbar =
            "warning page no navigation controller around this scene shows its toolbar, unless code "
            + "shows it"
        for navigation in ["", #"toolbarHidden="YES""#] {
            #expect(try warnings(navigation) == [toolbar])
        }
        #expect(try warnings(#"toolbarHidden="NO""#) == [])
        #expect(
            try warnings(#"toolbarHidden="NO" navigationBarHidden="YES""#)
                == ["warning nav the navigation bar is hidden"])
        var options = ImportOptions()
        options.scenes["Page"] = ["toolbarItems": .null]
        #expect(try warnings("", options) == [])
    }
}
