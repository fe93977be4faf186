import Foundation
import TestSupport
import Testing

@testable import AppLoading

/// Tests of the style in which segues present their destinations.
@Suite struct PresentationStyleTests {
    /// Returns the imported storyboard of a list with a segue that ends at a controller.
    /// - Parameters:
    ///   - segue: the attributes of the segue.
    ///   - element: the kind of the controller, such as `navigationController`.
    ///   - attributes: the attributes of the controller.
    private func imported(
        segue: String = #"kind="presentation""#, to element: String = "viewController",
        _ attributes: String = #"modalPresentationStyle="fullScreen""#, relationship: String = ""
    ) throws -> String {
        StoryboardImport(
            try XcodeProject([
                .of(
                    """
                    <scene sceneID="1"><objects>
                      <navigationController id="home" sceneMemberID="viewController"><connections>
                        <segue id="r0" destination="list" kind="relationship" \
                    relationship="rootViewController"/></connections></navigationController>
                    </objects></scene>
                    <scene sceneID="2"><objects>
                      <viewController id="list" sceneMemberID="viewController"><connections>
                        <segue id="s1" destination="target" \(segue) identifier="go"/>
                      </connections></viewController></objects></scene>
                    <scene sceneID="3"><objects>
                      <\(element) id="target" \(attributes) sceneMemberID="viewController">
                      <connections>\(relationship)</connections></\(element)></objects></scene>
                    <scene sceneID="4"><objects>
                      <viewController id="page" sceneMemberID="viewController"/></objects></scene>
                    <scene sceneID="5"><objects>
                      <tabBarController id="tabs" modalPresentationStyle="pageSheet" \
                    sceneMemberID="viewController"><connections>
                        <segue id="r5" destination="page" kind="relationship" \
                    relationship="viewControllers"/></connections></tabBarController>
                    </objects></scene>
                    """, initial: "home")
            ])
        ).line
    }

    private static func relationship(_ name: String, to destination: String) -> String {
        """
        <segue id="r3" destination="\(destination)" kind="relationship" relationship="\(name)"/>
        """
    }

    private static let segue = #"{ "identifier": "go", "kind": "present", "scene": "target" }"#

    @Test(
        "A segue without a style presents its destination in the style of the destination",
        arguments: [
            ("viewController", "", #""kind": "blank""#),
            ("navigationController", "rootViewController", #""kind": "navigation""#),
            ("tabBarController", "viewControllers", #""kind": "tabBar""#),
        ])
    func sameAsDestination(element: String, children: String, kind: String) throws {
        let json = try imported(
            to: element,
            #"modalPresentationStyle="fullScreen" modalInPresentation="YES""#,
            relationship: children.isEmpty ? "" : Self.relationship(children, to: "page")
        )
        #expect(json.contains(Self.segue))
        #expect(json.contains("\"target\": { \(kind)"))
        #expect(json.contains(#""presentation": "fullScreen", "isModalInPresentation": true"#))
    }

    @Test("The style of a segue takes precedence over that of its destination")
    func ownStyle() throws {
        let json = try imported(
            segue: #"kind="presentation" modalPresentationStyle="formSheet""#
        )
        #expect(
            json.contains(
                """
                { "identifier": "go", "kind": "present", "scene": "target", \
                "presentationStyle": "formSheet" }
                """))
    }

    @Test("A scene that nothing presents gets no style, and neither does an automatic style")
    func noStyle() throws {
        #expect(!(try imported(segue: #"kind="show""#).contains("presentation")))
        for style in ["automatic", "none", "blurOverFullScreen"] {
            let json = try imported("modalPresentationStyle=\"\(style)\"")
            #expect(!json.contains("presentation"))
        }
    }

    @Test(
        "The scene in place of a container that is left out has the container's modal flag",
        arguments: [
            ("navigationController", "rootViewController", "tabs", #""kind": "tabBar""#),
            ("splitViewController", "masterViewController", "page", #""kind": "blank""#),
        ])
    func leftOutModal(
        element: String, relationship: String, destination: String, kind: String
    ) throws {
        for flag in ["YES", "NO"] {
            let json = try imported(
                to: element, "modalInPresentation=\"\(flag)\"",
                relationship: Self.relationship(relationship, to: destination))
            #expect(json.contains("\"\(destination)\": { \(kind)"))
            #expect(json.contains(#""isModalInPresentation": true"#) == (flag == "YES"))
        }
    }

    @Test("A segue has the style of a container that the import leaves out")
    func leftOut() throws {
        func style(_ attributes: String) throws -> Bool {
            try imported(
                to: "navigationController", attributes,
                relationship: Self.relationship("rootViewController", to: "tabs")
            ).contains(
                """
                { "identifier": "go", "kind": "present", "scene": "tabs", \
                "presentationStyle": "\(attributes.isEmpty ? "automatic" : "fullScreen")" }
                """)
        }
        #expect(try style(#"modalPresentationStyle="fullScreen""#))
        #expect(try style(""))
        #expect(
            try imported(
                to: "splitViewController",
                relationship: Self.relationship("masterViewController", to: "page")
            ).contains(#""scene": "page", "presentationStyle": "fullScreen" }"#))
    }

    @Test("A scene that only code shows keeps its style") func shownByCode() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            Data(
                XcodeStoryboard.bytes(
                    """
                    <scene sceneID="1"><objects>
                      <viewController id="home" sceneMemberID="viewController"/></objects></scene>
                    <scene sceneID="2"><objects>
                      <viewController id="player" storyboardIdentifier="Player" \
                    modalPresentationStyle="overFullScreen" sceneMemberID="viewController"/>
                    </objects></scene>
                    """, initial: "home")), to: "Main.storyboard")
        try folder.write(
            #"instantiateViewController(withIdentifier: "Player")"#, to: "Home.swift")
        #expect(
            try ImportSource(paths: [folder.path]).run().line.contains(
                #""kind": "blank", "presentation": "overFullScreen", "shownByCode": true"#))
    }
}
