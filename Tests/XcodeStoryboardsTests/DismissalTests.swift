import AppDefinition
import Foundation
import TestSupport
import Testing

@testable import AppLoading

/// Tests of the controls and unwind segues that become `dismiss` segues.
@Suite struct DismissalTests {
    /// A list that presents an editor in a navigation controller. The editor pushes a page.
    /// - Parameters:
    ///   - editor: the objects in the editor's navigation item and views.
    ///   - page: the same for the page, which is in no layer of its own.
    private static func app(
        _ editor: String, page: String = "", start: String = "list",
        segue: String = #"kind="presentation""#
    ) -> String {
        """
        <scene sceneID="1"><objects>
          <navigationController id="home" sceneMemberID="viewController"><connections>
            <segue id="r0" destination="list" kind="relationship" \
        relationship="rootViewController"/></connections></navigationController></objects></scene>
        <scene sceneID="2"><objects>
          <viewController id="list" customClass="ListController" sceneMemberID="viewController">
            <connections>
              <segue id="s1" destination="nav" \(segue) identifier="edit"/>
              <segue id="s4" destination="help" kind="show" identifier="help"/>
            </connections></viewController></objects></scene>
        <scene sceneID="3"><objects>
          <navigationController id="nav" toolbarHidden="NO" sceneMemberID="viewController"><connections>
            <segue id="r" destination="editor" kind="relationship" \
        relationship="rootViewController"/></connections></navigationController></objects></scene>
        <scene sceneID="4"><objects>
          <viewController id="editor" customClass="Editor" sceneMemberID="viewController">
            \(editor)
            <connections><segue id="s2" destination="page" kind="show" identifier="page"/>
            </connections></viewController>
          <exit id="exit" sceneMemberID="exit"/></objects></scene>
        <scene sceneID="5"><objects>
          <viewController id="page" customClass="Page" sceneMemberID="viewController">\(page)
          </viewController><exit id="exit2" sceneMemberID="exit"/></objects></scene>
        <scene sceneID="6"><objects>
          <viewController id="help" customClass="Help" sceneMemberID="viewController">
            <connections><segue id="s3" destination="nav" \(segue) identifier="edit"/>
            </connections></viewController></objects></scene>
        """
    }

    private static func button(_ id: String, _ selector: String, event: String = "touchUpInside")
        -> String
    {
        """
        <view key="view" id="v\(id)"><subviews><button id="\(id)"><state key="normal" \
        title="Title of \(id)"/><connections><action selector="\(selector)" destination="editor" \
        eventType="\(event)" id="a\(id)"/></connections></button></subviews></view>
        """
    }

    private static func item(_ id: String, _ attributes: String, _ selector: String? = nil)
        -> String
    {
        let action = selector.map {
            #"<connections><action selector="\#($0)" destination="editor" id="a"/></connections>"#
        }
        return """
            <navigationItem key="navigationItem" id="n\(id)"><barButtonItem \
            key="rightBarButtonItem" id="\(id)" \(attributes)>\(action ?? "")</barButtonItem>\
            </navigationItem>
            """
    }

    private static let unwind =
        #"""
        <view key="view" id="v"><subviews><button id="b"><state key="normal" title="Close"/>
        <connections><segue id="u" destination="exit" kind="unwind" unwindAction="leave:"/>
        </connections></button></subviews></view>
        """#

    private func imported(
        _ app: String, _ options: ImportOptions = ImportOptions(), initial: String = "home"
    ) throws -> StoryboardImport {
        StoryboardImport(try XcodeProject([.of(app, initial: initial)]), options: options)
    }

    private func warnings(_ imported: StoryboardImport) -> [String] {
        imported.findings.filter { $0.severity == .warning }.map { "\($0.object): \($0.reason)" }
    }

    private func dismissals(_ imported: StoryboardImport) -> Int {
        imported.json.ranges(of: #""kind": "dismiss""#).count
    }

    @Test("An unwind action that no class declares dismisses the layer, with its button")
    func unwindSegue() throws {
        let imported = try imported(Self.app(Self.unwind))
        #expect(imported.json.contains(#"{ "identifier": "u", "kind": "dismiss" }"#))
        #expect(imported.json.contains(#"{ "title": "Close", "segue": "u" }"#))
        #expect(
            warnings(imported) == [
                #"u: no file says which scene has "leave:": the segue dismisses the layer of "#
                    + #"Editor; if it unwinds to a scene, name the scene in the import options: "#
                    + #"{ "unwindActions": { "leave:": ["ListController", "Help"] } }"#
            ])
    }

    @Test("The option that the warning prints makes the segue unwind")
    func unwindOption() throws {
        var options = ImportOptions()
        options.unwindActions = ["leave:": ["ListController", "Help"]]
        let imported = try imported(Self.app(Self.unwind), options)
        #expect(imported.findings.isEmpty)
        #expect(dismissals(imported) == 0)
        #expect(imported.json.ranges(of: #""unwindActions": ["leave:"]"#).count == 2)
    }

    @Test("An unwind segue of a scene that nothing presents is no dismissal")
    func notPresented() throws {
        let imported = try imported(Self.app(Self.unwind, segue: #"kind="show""#))
        #expect(dismissals(imported) == 0)
        #expect(warnings(imported).contains { $0.contains("the segue cannot be performed") })
        let page = Self.unwind.replacing("\"exit\"", with: "\"exit2\"")
        let pushed = try self.imported(Self.app("", page: page))
        #expect(dismissals(pushed) == 0)
    }

    @Test(
        "A control whose action is named like a dismissal dismisses the layer",
        arguments: ["close", "closePlayer:", "dismissSelf:", "cancel:", "doneTapped:"])
    func selectors(selector: String) throws {
        let imported = try imported(Self.app(Self.button("b", selector)))
        let name = selector.filter { $0 != ":" }
        #expect(imported.json.contains(#"{ "identifier": "\#(name)", "kind": "dismiss" }"#))
        #expect(imported.json.contains(#"{ "title": "Title of b", "segue": "\#(name)" }"#))
        #expect(
            warnings(imported) == [
                "b: no file says what the action \"\(selector)\" does: it dismisses the layer of "
                    + "Editor; if it does not, say so in the import options: "
                    + #"{ "dismissActions": [] }"#
            ])
    }

    @Test(
        "Other actions, other events and other scenes have no dismissal",
        arguments: [
            app(button("b", "save:")), app(button("b", "enclose:")),
            app(button("b", "doneEditing:", event: "valueChanged")),
            app("", page: button("b", "cancel:")), app(item("i", #"systemItem="save""#, "save:")),
            app(button("b", "close:"), segue: #"kind="show""#),
        ])
    func noDismissal(app: String) throws {
        #expect(try dismissals(imported(app)) == 0)
    }

    @Test(
        "A system item that closes a screen dismisses the layer",
        arguments: [
            "close", "cancel", "done", "stop",
        ])
    func systemItems(item: String) throws {
        let imported = try imported(Self.app(Self.item("i", #"systemItem="\#(item)""#)))
        let title = item.capitalized
        #expect(
            imported.json.contains(
                #""rightItems": [{ "title": "\#(title)", "segue": "\#(item)" }]"#))
        #expect(
            warnings(imported) == [
                "i: no file says what the system item \"\(item)\" does: it dismisses the layer of "
                    + "Editor; if it does not, say so in the import options: { \"scenes\": "
                    + #"{ "Editor": { "navigationItem": { "rightItems": ["\#(title)"] } } } }"#
            ])
    }

    @Test(
        "The warning of a system item outside the navigation bar names the option for its place",
        arguments: [
            (
                #"<toolbarItems><barButtonItem id="i" systemItem="done"/></toolbarItems>"#,
                #""toolbarItems": ["Done"]"#
            ),
            (
                #"""
                <view key="view" id="v"><subviews><toolbar id="t"><items>
                <barButtonItem id="i" systemItem="done"/></items></toolbar></subviews></view>
                """#, #""buttons": [{ "title": "page", "segue": "page" }]"#
            ),
        ])
    func systemItemElsewhere(editor: String, member: String) throws {
        let imported = try imported(Self.app(editor))
        #expect(imported.json.contains(#"{ "title": "Done", "segue": "done" }"#))
        #expect(
            warnings(imported) == [
                #"i: no file says what the system item "done" does: it dismisses the layer of "#
                    + "Editor; if it does not, say so in the import options: { \"scenes\": "
                    + #"{ "Editor": { \#(member) } } }"#
            ])
    }

    @Test("An unwind action of no class has no effect, as the warning of a system item says")
    func noEffect() throws {
        let app = Self.app(Self.item("i", #"systemItem="done""#, "save:"))
        #expect(
            try warnings(imported(app)) == [
                #"i: no file says what the action "save:" does: it dismisses the layer of Editor; "#
                    + "if it does not, say so in the import options: "
                    + #"{ "unwindActions": { "save:": [] } }"#
            ])
        var options = ImportOptions()
        options.unwindActions = ["save:": []]
        let imported = try imported(app, options)
        #expect(imported.findings.isEmpty)
        #expect(imported.json.contains(#""rightItems": ["Done"]"#))
        options.unwindActions = ["leave:": []]
        let unwind = try self.imported(Self.app(Self.unwind), options)
        #expect(unwind.findings.isEmpty)
        #expect(unwind.json.contains(#"{ "identifier": "u", "kind": "custom" }"#))
    }

    @Test("The options for unwind actions decide over the name of an action")
    func optionsFirst() throws {
        var options = ImportOptions()
        options.unwindActions = ["cancel:": ["ListController"]]
        options.dismissActions = ["cancel:"]
        let imported = try imported(Self.app(Self.button("b", "cancel:")), options)
        #expect(imported.findings.isEmpty)
        #expect(imported.json.contains(#""kind": "unwind", "action": "cancel:""#))
        #expect(imported.json.contains(#""unwindActions": ["cancel:"]"#))
    }

    @Test("The actions in the options replace the names by which the import decides")
    func dismissActions() throws {
        let app = Self.app(Self.button("b", "hidePlayer:") + Self.button("c", "close:"))
        var options = ImportOptions()
        options.dismissActions = ["hidePlayer:"]
        let imported = try imported(app, options)
        #expect(imported.findings.isEmpty)
        #expect(dismissals(imported) == 1)
        #expect(imported.json.contains(#"{ "identifier": "hidePlayer", "kind": "dismiss" }"#))
    }

    @Test("Among many actions, a finding prints the option that decides for its action alone")
    func manyActions() throws {
        let buttons = (0..<30).map { Self.button("b\($0)", "close\($0):") }
        let found = try warnings(imported(Self.app(buttons.joined())))
        #expect(found.count == 30)
        for (index, text) in found.enumerated() {
            #expect(text.hasSuffix(#"{ "unwindActions": { "close\#(index):": [] } }"#), "\(text)")
        }
    }

    @Test("An action in the options that no control has is an error at its place")
    func unknownActions() throws {
        let folder = try TemporaryFolder()
        var source = ImportSource(paths: [
            try folder.write(
                Data(
                    XcodeStoryboard.bytes(
                        Self.app(Self.button("b", "close:"), page: Self.button("p", "cancel:")),
                        initial: "home")), to: "Main.storyboard")
        ])
        source.options = try folder.write(
            """
            { "dismissActions": ["close:", "closes:"],
              "unwindActions": { "cancel:": ["ListController"] } }
            """, to: "options.json")
        let error = #expect(throws: UnusableFile.self) { try source.run() }
        #expect(
            error?.defects.map(\.description) == [
                "options.json:2:33: unwindActions.cancel:: no action of an unwind segue of the "
                    + "project is cancel:; it has close:",
                "options.json:1:32: dismissActions[1]: no action of a control in a presented scene "
                    + "of the project is closes:; did you mean close:?",
            ])
    }

    @Test("A scene that a scene without a navigation controller shows is presented")
    func shownByBareScene() throws {
        let app = Self.app(Self.button("b", "close:"), segue: #"kind="show""#)
        #expect(try dismissals(imported(app, initial: "list")) == 1)
    }

    @Test("A control in a scene that a presented scene embeds dismisses the layer")
    func embedded() throws {
        let part = """
            <scene sceneID="7"><objects><viewController id="part" sceneMemberID="viewController">
            \(Self.button("b", "close:"))</viewController></objects></scene>
            """
        let container = """
            <view key="view" id="v"><subviews><containerView id="c"><connections>
            <segue id="e" destination="part" kind="embed"/></connections></containerView>
            </subviews></view>
            """
        let imported = try imported(Self.app(container) + part)
        #expect(imported.json.contains(#"{ "identifier": "close", "kind": "dismiss" }"#))
    }
}
