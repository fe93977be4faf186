import AppDefinition
import Foundation
import TestSupport
import Testing

@testable import AppLoading

@Suite struct ImportTests {
    private static let list = """
        <scene sceneID="1"><objects>
          <navigationController id="nav" sceneMemberID="viewController"><connections>
            <segue id="r" destination="list" kind="relationship" relationship="rootViewController"/>
          </connections></navigationController></objects></scene>
        <scene sceneID="2"><objects>
          <tableViewController id="list" customClass="ListController" sceneMemberID="viewController">
            <tableView key="view" id="t"/>
            <navigationItem key="navigationItem" title="{odd}" id="n"/>
            <connections>
              <segue id="s1" destination="one" kind="show" identifier="same"/>
              <segue id="s2" destination="one" kind="presentation" identifier="same"/>
              <segue id="s3" destination="one" kind="custom" customClass="Flip" identifier="flip"/>
            </connections>
          </tableViewController></objects></scene>
        <scene sceneID="3"><objects>
          <viewController id="one" sceneMemberID="viewController"><connections>
            <segue id="u" destination="exit" kind="unwind" unwindAction="done:"/>
          </connections></viewController>
          <exit id="exit" sceneMemberID="exit"/></objects></scene>
        """

    private func imported(_ options: ImportOptions = ImportOptions()) throws -> StoryboardImport {
        StoryboardImport(
            try XcodeProject([.of(Self.list, initial: "nav")]), options: options)
    }

    @Test("Two imports of one project give the same bytes") func sameBytes() throws {
        #expect(try imported().json == imported().json)
    }

    @Test("Segues that share an identifier are named by their object ids") func objectIDs() throws {
        let json = try imported().json
        #expect(json.contains(#"{ "identifier": "s1", "kind": "show", "scene": "one" }"#))
        #expect(json.contains(#"{ "identifier": "s2", "kind": "present", "scene": "one" }"#))
        #expect(json.contains(#""navigationItem": { "title": "{odd}" }"#))
    }

    @Test(
        "The segue of a cell's accessory is that of its row, with sample rows and with given ones")
    func accessory() throws {
        func table(_ content: String) -> String {
            """
            <scene sceneID="1"><objects>
              <tableViewController id="list" customClass="ListController" \
            sceneMemberID="viewController">
                <tableView key="view" id="t" dataMode="\(content)">
                  \(content == "static" ? "<sections><tableViewSection id=\"z\"><cells>" : "<prototypes>")
                  <tableViewCell id="c" textLabel="l"><connections>
                    <segue id="s1" destination="one" kind="show" identifier="open"/>
                    <segue id="s2" destination="one" kind="presentation" trigger="accessoryAction"/>
                  </connections><tableViewCellContentView key="contentView" id="v"><subviews>
                    <label id="l" text="Network"/></subviews></tableViewCellContentView>
                  </tableViewCell>
                  \(content == "static" ? "</cells></tableViewSection></sections>" : "</prototypes>")
                </tableView>
              </tableViewController></objects></scene>
            <scene sceneID="2"><objects>
              <viewController id="one" sceneMemberID="viewController"/></objects></scene>
            """
        }
        for (content, rows) in [
            ("static", ["Network"]), ("prototypes", ["Network 1", "Network 3"]),
        ] {
            let project = try XcodeProject([.of(table(content), initial: "list")])
            let imported = StoryboardImport(project, options: ImportOptions())
            for row in rows {
                #expect(
                    imported.json.contains(
                        "{ \"title\": \"\(row)\", \"segue\": \"open\", "
                            + "\"accessorySegue\": \"s2\" }"))
            }
            #expect(!imported.json.contains("buttons"))
        }
    }

    @Test("The second label of a cell is the subtitle of its row")
    func subtitle() throws {
        let table = """
            <scene sceneID="1"><objects>
              <tableViewController id="list" sceneMemberID="viewController">
                <tableView key="view" id="t" dataMode="static">
                  <sections><tableViewSection id="z"><cells><tableViewCell id="c">
                    <tableViewCellContentView key="contentView" id="v"><subviews>
                      <label id="l" text="Network"/><label id="m" text="Connected"/>
                    </subviews></tableViewCellContentView>
                  </tableViewCell></cells></tableViewSection></sections>
                </tableView>
              </tableViewController></objects></scene>
            """
        let imported = StoryboardImport(try XcodeProject([.of(table, initial: "list")]))
        #expect(
            imported.json.contains(#"{ "title": "Network", "subtitle": "Connected" }"#),
            "\(imported.json)")
    }

    @Test(
        "The title of a button is that of its configuration, else that of its normal state",
        arguments: [
            ("", "Button"),
            (#"<buttonConfiguration key="configuration" style="plain"/>"#, "Button"),
            (
                #"<buttonConfiguration key="configuration" style="plain" title="Log In"/>"#,
                "Log In"
            ),
        ])
    func titleOfButton(configuration: String, title: String) throws {
        let scene = """
            <scene sceneID="1"><objects><viewController id="a" sceneMemberID="viewController">
              <view key="view" id="v"><subviews><button id="b">
                <state key="normal" title="Button"/>\(configuration)
                <connections><segue id="s" destination="a" kind="show"/></connections>
              </button></subviews></view></viewController></objects></scene>
            """
        let imported = StoryboardImport(try XcodeProject([.of(scene, initial: "a")]))
        #expect(
            imported.json.contains(#"{ "title": "\#(title)", "segue": "s" }"#),
            "\(imported.json)")
    }

    @Test("A segue of an unknown class is a warning, unless the options say what it does")
    func customSegue() throws {
        let warnings = try imported().findings.filter { $0.severity == .warning }
        #expect(warnings.map(\.object) == ["s3", "u"])
        var options = ImportOptions()
        options.customSegues = ["Flip": .push]
        let imported = try imported(options)
        #expect(imported.findings.filter { $0.severity == .warning }.map(\.object) == ["u"])
        #expect(
            imported.json.contains(#"{ "identifier": "flip", "kind": "show", "scene": "one" }"#))
    }

    @Test("An unwind action belongs to the scene that the options name, else to the only ancestor")
    func unwinding() throws {
        #expect(try imported().json.contains(#""unwindActions": ["done:"]"#))
        var options = ImportOptions()
        options.unwindActions = ["done:": ["ListController"]]
        #expect(try !imported(options).findings.contains { $0.object == "u" })
    }

    @Test("Names in the options that nothing has are found, with the nearest name")
    func unknownNames() throws {
        var options = ImportOptions()
        options.unwindActions = ["done": ["ListController", "OneControler", "nav"]]
        options.customSegues = ["Flop": .push]
        options.scenes = ["ListControler": [:]]
        options.rows = ["Lost": [], "one": []]
        #expect(
            try imported(options).unknownNames.map {
                "\($0.file): \($0.keys.joined(separator: ".")): \($0.reason)"
            } == [
                "options: unwindActions.done: no action of an unwind segue of the project is done; "
                    + "did you mean done:?",
                "options: unwindActions.done: no class or scene besides the containers of the "
                    + "project is OneControler; it has ListController, one",
                "options: unwindActions.done: no class or scene besides the containers of the "
                    + "project is nav; it has ListController, one",
                "options: customSegues.Flop: no class of a custom segue of the project is Flop; did "
                    + "you mean Flip?",
                "options: scenes.ListControler: no scene of the project is ListControler; did you "
                    + "mean ListController?",
                "rows: Lost: no table of the project is Lost; it has ListController",
                "rows: one: no table of the project is one; it has ListController; if code makes a "
                    + "table, set scenes.one.kind to table in the import options",
            ])
    }

    @Test("A name in a file of options or rows that nothing has is refused at its place")
    func unknownNamesInFiles() throws {
        let folder = try TemporaryFolder()
        let storyboard = try folder.write(
            Data(XcodeStoryboard.bytes(Self.list, initial: "nav")), to: "Main.storyboard")
        var source = ImportSource(paths: [storyboard])
        func defects() throws -> [String]? {
            #expect(throws: UnusableFile.self) { try source.run() }?.defects.map(\.description)
        }
        source.options = try folder.write(
            """
            { "unwindActions": {
                "done:": ["ListController", "on"] } }
            """, to: "options.json")
        #expect(
            try defects() == [
                "options.json:2:33: unwindActions.done:[1]: no class or scene besides the "
                    + "containers of the project is on; did you mean one?"
            ])
        source.options = nil
        source.rows = try folder.write(#"{ "ListControler": ["A"] }"#, to: "rows.json")
        #expect(
            try defects() == [
                "rows.json:1:20: ListControler: no table of the project is ListControler; did you "
                    + "mean ListController?"
            ])
        source.rows = try folder.write(#"{ "ListController": ["A"] }"#, to: "rows.json")
        #expect(try source.run().unknownNames.isEmpty)
    }

    @Test("The rows of the options become the rows of a table, with its only segue from code")
    func rows() throws {
        var options = ImportOptions()
        options.customSegues = ["Flip": .ignore]
        options.rows = ["ListController": [["title": "Emma"]]]
        #expect(try imported(options).json.contains(#""rows": [{ "title": "Emma" }]"#))
    }

    @Test("A storyboard without an initial view controller is refused with the mend")
    func noInitial() throws {
        let error = #expect(throws: UnreadableStoryboard.self) {
            _ = try XcodeProject([.of(Self.list)])
        }
        #expect(error?.reason.contains("Is Initial View Controller") == true)
    }

    @Test("A number of the options that JSON does not have becomes a text")
    func infiniteNumber() throws {
        var options = ImportOptions()
        let folder = try TemporaryFolder()
        try options.read(
            fromFile: folder.write(
                """
                <plist version="1.0"><dict><key>scenes</key><dict><key>one</key><dict>
                <key>title</key><real>inf</real></dict></dict></dict></plist>
                """, to: "options.plist"))
        #expect(try imported(options).json.contains(#""title": "inf""#))
    }

    @Test(
        "A comment or a member of the class does not end the class of an unwind action",
        arguments: [
            "// This method of the class is called by the exit.",
            "override class var layerClass: AnyClass { CALayer.self }",
            "class func make() -> First { First() }", "public class override func x() {}",
            "let extension = 1", "protocol P: class {}",
        ])
    func membersOfClass(line: String) {
        let source = SourceFile(
            "@objc(First) public class First: UIViewController {\n  \(line)\n"
                + "  @IBAction func done(_ segue: UIStoryboardSegue) {}\n}")
        #expect(source.unwindActions == ["done:": ["First"]])
    }

    @Test(
        "A class begins with its keyword, also after modifiers and attributes",
        arguments: [
            "class First {", "@MainActor final class First: X {", "private extension First {",
            "@available(iOS 13, *) public class First {", "@implementation First (Exit)",
            #"@available(*, deprecated, message: "Use show(_:) instead") class First: X {"#,
            #"@available(*, deprecated, message: "See https://x.y") class First: X {"#,
            "@objcMembers open class First<T> {", "extension First: Sendable { // class Second",
        ])
    func classes(line: String) {
        let source = SourceFile(
            "class Before {}\n\(line)\n@IBAction func done(_ segue: UIStoryboardSegue) {}")
        #expect(source.unwindActions == ["done:": ["First"]])
    }

    @Test(
        "The sources of a project say which class has an unwind action",
        arguments: [
            ("@IBAction func done(_ segue: UIStoryboardSegue) {}", "done:"),
            ("@IBAction func done(segue: UIStoryboardSegue) {}", "doneWithSegue:"),
            ("@IBAction func backTo(with s: UIStoryboardSegue) {}", "backToWith:"),
            ("- (IBAction)done:(UIStoryboardSegue *)segue {", "done:"),
            ("- (IBAction) done : (UIStoryboardSegue *)segue", "done:"),
        ])
    func sources(declaration: String, action: String) {
        let source = SourceFile("final class First: UIViewController {\n  \(declaration)\n}")
        #expect(source.unwindActions[action] == ["First"])
    }

    @Test(
        "A line that only mentions a segue declares no unwind action",
        arguments: [
            "var last: UIStoryboardSegue?", "[self close:(UIStoryboardSegue *)segue];",
            "// - (IBAction)done:(UIStoryboardSegue *)segue",
        ])
    func noAction(line: String) {
        #expect(SourceFile("class First {\n\(line)\n}").unwindActions.isEmpty)
    }
}
