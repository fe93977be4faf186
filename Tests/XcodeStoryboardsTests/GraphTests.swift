import JSON
import Testing

@testable import AppLoading

@Suite struct GraphTests {
    @Test("Segues inside a segue and tie-breakers are no edges; segues beside the controller are")
    func segues() throws {
        let storyboard = try XcodeStoryboard.of(
            """
            <scene sceneID="s1"><objects>
              <viewController id="a" sceneMemberID="viewController" title="Own">
                <navigationItem key="navigationItem" id="n"><string key="title"><![CDATA[Two]]>
            lines</string></navigationItem>
                <connections>
                  <segue id="1" destination="b" kind="show" identifier="go">
                    <connections><segue key="preview" inheritsFrom="parent" id="2"/></connections>
                  </segue>
                </connections>
              </viewController>
              <tapGestureRecognizer id="r"><connections>
                <segue id="3" destination="b" kind="presentation"/></connections>
              </tapGestureRecognizer>
            </objects></scene>
            <scene sceneID="s2"><objects>
              <viewController id="b" sceneMemberID="viewController"/></objects></scene>
            """,
            after:
                "<inferredMetricsTieBreakers><segue reference=\"1\"/></inferredMetricsTieBreakers>")
        #expect(storyboard.scenes.map(\.id) == ["a", "b"])
        #expect(storyboard.scenes[0].navigationItem.title == "Two\nlines")
        #expect(storyboard.scenes[0].segues.map(\.id) == ["1", "3"])
        #expect(
            storyboard.scenes[0].segues.map { $0.owner?.kind } == [nil, "tapGestureRecognizer"])
    }

    @Test("A reference to another storyboard is no scene of the graph, but one of its references")
    func references() throws {
        let storyboard = try XcodeStoryboard.of(
            """
            <scene sceneID="s1"><objects><viewControllerPlaceholder id="a" storyboardName="Help" \
            referencedIdentifier="index" bundleIdentifier="com.example.help" \
            sceneMemberID="viewController"/></objects></scene>
            <scene sceneID="s2"><objects><viewControllerPlaceholder id="b" storyboardName="Shop" \
            sceneMemberID="viewController"/></objects></scene>
            """)
        let references: JSONValue = [
            [
                "id": "a", "storyboardName": "Help", "referencedIdentifier": "index",
                "bundleIdentifier": "com.example.help",
            ],
            [
                "id": "b", "storyboardName": "Shop", "referencedIdentifier": .null,
                "bundleIdentifier": .null,
            ],
        ]
        #expect(storyboard.graph["scenes"] == [])
        #expect(storyboard.graph["references"] == references)
    }

    @Test(
        "An unusual file is refused with a reason",
        arguments: [
            ("", "empty"), (" \n", "empty"), ("\u{0}PNG", "binary"), ("{}", "not valid XML"),
            ("<a/>", "root is <a>"),
            ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "DOCTYPE"),
            ("<document>\n<<<<<<< HEAD\n</document>", "merge conflict"),
            ("<document type=\"x.Cocoa.Storyboard.XIB\" targetRuntime=\"MacOSX.Cocoa\"/>", "macOS"),
            ("<document type=\"com.apple.InterfaceBuilder.WatchKit.Storyboard\"/>", "watchOS"),
            ("<document type=\"com.apple.InterfaceBuilder3.CocoaTouch.XIB\"/>", "not a storyboard"),
            ("<document type=\"Storyboard\"><b>&c;</b></document>", "not valid XML"),
            ("<document type=\"Storyboard\"><b c=\"&d;\"/></document>", "not valid XML"),
            ("<?xml version='1.0' standalone='yes'?><a>&b;</a>", "not valid XML"),
        ])
    func refused(text: String, reason: String) throws {
        let error = #expect(throws: UnreadableStoryboard.self) {
            _ = try XcodeStoryboard(Array(text.utf8), file: "Main.storyboard")
        }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }
}
