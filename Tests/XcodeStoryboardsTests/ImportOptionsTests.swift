import AppDefinition
import JSON
import TestSupport
import Testing

@testable import AppLoading

/// Tests of the files with import options and with the rows of tables.
@Suite struct ImportOptionsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String) throws -> String { try folder.write(text, to: "a.json") }

    private func defects(_ read: () throws -> Void) -> [String]? {
        #expect(throws: UnusableFile.self, performing: read)?.defects.map(\.description)
    }

    @Test("A file of options has the scenes of actions, the meaning of classes, and members")
    func options() throws {
        var options = ImportOptions()
        try options.read(
            fromFile: write(
                """
                { "unwindActions": { "done:": ["List", "Home"] }, "dismissActions": ["hide:"],
                  "customSegues": { "Flip": "push", "Zoom": "present", "Fade": "ignore" },
                  "scenes": { "List": { "title": "Books" } }, "name": "Shop" }
                """))
        #expect(options.unwindActions == ["done:": ["List", "Home"]])
        #expect(options.dismissActions == ["hide:"])
        #expect(options.customSegues == ["Flip": .push, "Zoom": .present, "Fade": .ignore])
        #expect(options.scenes == ["List": ["title": "Books"]])
        #expect(options.members == ["name": "Shop"])
    }

    @Test("A date in the options keeps its day, also before 1582, and an infinite number is text")
    func dates() throws {
        let file = try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>first</key><date>1500-01-01T00:00:00Z</date>
            <key>ratio</key><real>inf</real>
            <key>second</key><date>2026-03-01T12:30:59Z</date>
            </dict></plist>
            """, to: "a.plist")
        var options = ImportOptions()
        try options.read(fromFile: file)
        #expect(
            options.members == [
                "first": "1500-01-01T00:00:00Z", "ratio": "inf", "second": "2026-03-01T12:30:59Z",
            ])
    }

    @Test(
        "An option of another kind is refused at its place",
        arguments: [
            ("[]", "1:1: expected options (a dictionary), found an array"),
            (
                #"{ "customSegues": { "Flip": "pop" } }"#,
                "1:29: customSegues.Flip: expected push, present or ignore, found pop"
            ),
            (
                #"{ "customSegues": { "Flip": 1 } }"#,
                "1:29: customSegues.Flip: expected a string, found an integer"
            ),
            (
                #"{ "scenes": { "List": 1 } }"#,
                "1:23: scenes.List: expected a dictionary, found an integer"
            ),
        ])
    func refused(text: String, reason: String) throws {
        let file = try write(text)
        var options = ImportOptions()
        #expect(defects { try options.read(fromFile: file) } == ["a.json:\(reason)"])
    }

    @Test("A row is a title, or a dictionary with a title, a subtitle and a segue")
    func rows() throws {
        var options = ImportOptions()
        try options.readRows(
            fromFile: write(
                """
                { "List": ["Emma", 1984,
                    { "title": "Ulysses", "subtitle": 1922, "segue": "open" }, { "title": "It" }] }
                """))
        #expect(
            options.rows == [
                "List": [
                    ["title": "Emma"], ["title": "1984"],
                    ["title": "Ulysses", "subtitle": "1922", "segue": "open"], ["title": "It"],
                ]
            ])
    }

    @Test(
        "A row of another kind is refused at its place",
        arguments: [
            ("[]", "1:1: expected a dictionary of rows by scene, found an array"),
            (
                #"{ "List": "Emma" }"#, "1:11: List: expected an array of rows, found a string"
            ),
            (
                #"{ "List": [["Emma"]] }"#,
                "1:12: List[0]: expected a string, number, boolean or date, found an array"
            ),
            (#"{ "List": [{}] }"#, "1:12: List[0].title: missing; expected a string"),
            (
                #"{ "List": [{ "title": "Emma", "segeu": "open" }] }"#,
                "1:40: List[0].segeu: unknown key; did you mean segue?"
            ),
        ])
    func refusedRow(text: String, reason: String) throws {
        let file = try write(text)
        var options = ImportOptions()
        #expect(defects { try options.readRows(fromFile: file) } == ["a.json:\(reason)"])
    }

    @Test(
        "A row of the options performs the segue of the table's cell, unless it names another one")
    func segueOfRow() throws {
        var options = ImportOptions()
        options.rows = ["list": [["title": "Emma"], ["title": "It", "segue": "help"]]]
        let storyboard = try XcodeStoryboard.of(
            """
            <scene sceneID="1"><objects><tableViewController id="list" \
            sceneMemberID="viewController"><tableView key="view" id="t" dataMode="prototypes">
              <prototypes><tableViewCell id="c"><connections>
                <segue id="s1" destination="list" kind="show" identifier="open"/>
                <segue id="s2" destination="list" kind="show" trigger="accessoryAction"/>
              </connections></tableViewCell></prototypes></tableView>
            <connections><segue id="s3" destination="list" kind="show" identifier="help"/>
            </connections></tableViewController></objects></scene>
            """, initial: "list")
        let imported = StoryboardImport(try XcodeProject([storyboard]), options: options)
        #expect(
            imported.line.contains(
                #""rows": [{ "title": "Emma", "segue": "open", "accessorySegue": "s2" }, "#
                    + #"{ "title": "It", "segue": "help", "accessorySegue": "s2" }]"#),
            "\(imported.line)")
    }

    @Test("A row performs the first segue of a cell, and buttons perform those of no row")
    func cellsOfRows() throws {
        var options = ImportOptions()
        options.rows = ["list": [["title": "Emma"]]]
        let cells = ["about", "open", "edit"].map {
            """
            <tableViewCell id="c-\($0)"><connections><segue id="\($0)" destination="list" \
            kind="show" \($0 == "about" ? #"trigger="accessoryAction""# : "")/></connections>
            </tableViewCell>
            """
        }
        let storyboard = try XcodeStoryboard.of(
            """
            <scene sceneID="1"><objects><tableViewController id="list" \
            sceneMemberID="viewController"><tableView key="view" id="t" dataMode="prototypes">
            <prototypes>\(cells.joined())</prototypes></tableView>
            </tableViewController></objects></scene>
            """, initial: "list")
        let imported = StoryboardImport(try XcodeProject([storyboard]), options: options)
        #expect(
            imported.line.contains(
                #""rows": [{ "title": "Emma", "segue": "open", "accessorySegue": "about" }], "#
                    + #""buttons": [{ "title": "edit", "segue": "edit" }]"#),
            "\(imported.line)")
    }

    @Test(
        "Rows replace those of a static table, and fill a table that only code makes",
        arguments: [
            (
                """
                <tableViewController id="list" sceneMemberID="viewController"><tableView \
                key="view" id="t" dataMode="static"><sections><tableViewSection id="z"><cells>
                <tableViewCell id="c"><connections><segue id="open" destination="list" kind="show"/>
                </connections></tableViewCell></cells></tableViewSection></sections></tableView>
                </tableViewController>
                """, [:]
            ),
            (
                """
                <viewController id="list" sceneMemberID="viewController"><connections><segue \
                id="open" destination="list" kind="show"/></connections></viewController>
                """, ["kind": "table"]
            ),
        ] as [(String, JSONObject)])
    func rowsOfOtherTables(controller: String, members: JSONObject) throws {
        var options = ImportOptions()
        options.rows = ["list": [["title": "Emma"]]]
        options.scenes = ["list": members]
        let scene = #"<scene sceneID="1"><objects>\#(controller)</objects></scene>"#
        let imported = StoryboardImport(
            try XcodeProject([.of(scene, initial: "list")]), options: options)
        #expect(
            imported.line.contains(#""rows": [{ "title": "Emma", "segue": "open" }]"#),
            "\(imported.line)")
        #expect(imported.unknownNames.isEmpty)
    }
}
