import Foundation
import FoundationXML
import JSON
import TestSupport
import Testing
import WaypostCore

@testable import Flows

@Suite struct FlowReportTests {
    private func report() async throws -> FlowReport {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            name: First <&> "one"
            steps: [{ sign-up: ada }, { expect: { title: Authors } }]
            ---
            name: Second
            steps:
              - expect: { title: Wrong }
              - back
            """)
        return FlowReport(try await runLocally(file), seconds: 0.5)
    }

    @Test("The JUnit report has a suite a file, a case a flow, and each step with its place")
    func junit() async throws {
        let text = try await report().text(.junit)
        let document = try XMLDocument(xmlString: text)
        func strings(_ path: String) throws -> [String?] {
            try document.nodes(forXPath: path).map(\.stringValue)
        }
        #expect(try strings("/testsuites/testsuite/@tests") == ["2"])
        #expect(try strings("/testsuites/testsuite/@failures") == ["1"])
        #expect(try strings("//testcase/@name") == ["First <&> \"one\"", "Second"])
        #expect(try strings("/testsuites/testsuite/@file") == strings("//testcase[1]/@classname"))
        let message = try #require(try strings("//testcase[2]/failure/@message")[0])
        #expect(message.hasSuffix("flow.yaml:6:5: not as expected: title"))
        let steps = try #require(try strings("//testcase[2]/system-out")[0])
        #expect(steps.contains("failed ") && steps.contains("flow.yaml:7:5: back"))
    }

    @Test(
        "A text in XML has each character that XML allows",
        arguments: [
            ("<&>\"", "&lt;&amp;&gt;&quot;"), ("a\r\n\tb\r", "a&#13;\n\tb&#13;"),
            ("\u{0}\u{1B}\u{FFFE}\u{FFFF}é😀", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}é😀"),
        ])
    func escaped(text: String, expected: String) {
        #expect(text.escapedForXML == expected)
    }

    @Test("The JUnit report has the elements and attributes that Jenkins allows")
    func junitSchema() async throws {
        let schema = try XMLSchema(Self.junitSchema)
        let text = try await report().text(.junit)
        #expect(schema.defects(in: text) == [])
        let skipped = FlowReport(
            [.unstarted(try await report().results[0].flow, skipped: "<here>")], seconds: 1234.5)
        #expect(schema.defects(in: skipped.text(.junit)) == [])
        let wrong = text.replacing("<testcase name=", with: "<testcase line=\"1\" name=")
        #expect(schema.defects(in: wrong).contains { $0.contains("'line'") })
        #expect(!schema.defects(in: text.replacing(" errors=\"0\"", with: "")).isEmpty)
    }

    /// The parts of a report that Jenkins' plugin xUnit 3 allows, as far as a report of flows has them.
    private static let junitSchema = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
          <xs:complexType name="reason" mixed="true">
            <xs:attribute name="message"/><xs:attribute name="type"/>
          </xs:complexType>
          <xs:simpleType name="seconds">
            <xs:restriction base="xs:string"><xs:pattern value="[0-9]+[.][0-9]+"/></xs:restriction>
          </xs:simpleType>
          <xs:element name="testsuites"><xs:complexType>
            <xs:sequence>
              <xs:element name="testsuite" minOccurs="0" maxOccurs="unbounded"><xs:complexType>
                <xs:sequence>
                  <xs:element name="testcase" minOccurs="0" maxOccurs="unbounded"><xs:complexType>
                    <xs:choice minOccurs="0" maxOccurs="unbounded">
                      <xs:element name="skipped" type="reason"/>
                      <xs:element name="failure" type="reason"/>
                      <xs:element name="system-out" type="xs:string"/>
                    </xs:choice>
                    <xs:attribute name="name" use="required"/>
                    <xs:attribute name="classname" use="required"/>
                    <xs:attribute name="time" type="seconds" use="required"/>
                  </xs:complexType></xs:element>
                </xs:sequence>
                <xs:attribute name="name" use="required"/>
                <xs:attribute name="file" use="required"/>
                <xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
                <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
                <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
                <xs:attribute name="skipped" type="xs:nonNegativeInteger"/>
                <xs:attribute name="time" type="seconds"/>
              </xs:complexType></xs:element>
            </xs:sequence>
            <xs:attribute name="name"/>
            <xs:attribute name="tests" type="xs:nonNegativeInteger"/>
            <xs:attribute name="failures" type="xs:nonNegativeInteger"/>
            <xs:attribute name="errors" type="xs:nonNegativeInteger"/>
            <xs:attribute name="time" type="seconds"/>
          </xs:complexType></xs:element>
        </xs:schema>
        """

    @Test("The JSON report has what was expected and found") func json() async throws {
        let text = try await report().text(.json)
        let json = try JSONValue(parsing: Array(text.utf8), maximumDepth: 16)
        #expect(json["failed"]?.number == 1)
        let difference = json["flows"]?.elements?[1]["differences"]?.elements?[0]
        #expect(difference?["expected"]?.text == "Wrong" && difference?["found"]?.text == "Log In")
        #expect(json["flows"]?.elements?[1]["steps"]?.elements?[1]["status"]?.text == "skipped")
    }

    @Test("The HTML report needs nothing from elsewhere, and escapes names") func html()
        async throws
    {
        let text = try await report().text(.html)
        #expect(text.contains("First &lt;&amp;&gt; &quot;one&quot;"))
        for part in ["<script", "http:", "https:", "src=", "url(", "<link"] {
            #expect(!text.contains(part), "\(part)")
        }
    }

    @Test("Text without colours has no escape, and shows the steps around the failure")
    func text() async throws {
        let report = try await report()
        let text = report.results.map { FlowText(hasColors: false).text(of: $0) }
        #expect(text[0].hasPrefix("passed  First"))
        #expect(text[1].contains("✗    6  expect: { title: Wrong }"))
        #expect(text[1].contains("     7  back"))
        #expect(text[1].contains("≠ Wrong                                 Log In"))
        #expect(!text.joined().contains("\u{1B}"))
        #expect(FlowText(hasColors: true).text(of: report.results[1]).contains("\u{1B}[31m"))
    }

    @Test("Texts of a flow cannot control the terminal")
    func controlCharacters() async throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            #"{ "name": "a\u001b[2J", "steps": [{ "expect": { "title": "\u001b[2J" } }] }"#)
        let result = try #require(try await runLocally(file).first)
        let text = FlowText(hasColors: false).text(of: result)
        #expect(text.contains("[2J") && !text.contains("\u{1B}"), "\(text)")
    }

    @Test("A failure shows the three steps before it and the three after it")
    func surroundings() async throws {
        let steps = [
            "sign-up: ada", "expect: { root: app }", "expect: { root: app }",
            "expect: { root: app }", "expect: { title: Wrong }", "expect: { root: app }",
            "expect: { root: app }", "expect: { root: app }", "expect: { root: app }",
        ].map { "  - \($0)\n" }
        let folder = try FlowFolder()
        let file = try folder.write("name: Long\nsteps:\n" + steps.joined())
        let result = try #require(try await runLocally(file).first)
        let text = FlowText(hasColors: false).text(of: result)
        #expect(text.contains("   4  expect:") && text.contains("  10  expect:"))
        #expect(!text.contains("   3  sign-up") && !text.contains("  11  expect:"))
    }

    @Test("A failure in a step that comes from another file shows the name of this file")
    func usedStep() async throws {
        let folder = try FlowFolder()
        try folder.write("name: Used\nsteps:\n  - expect: { title: Wrong }", "used.yaml")
        let file = try folder.write("name: Using\nsteps: [{ sign-up: ada }, { use: used.yaml }]")
        let result = try #require(try await runLocally(file).first)
        let text = FlowText(hasColors: false).text(of: result)
        #expect(text.contains("  ✗ used.yaml:3  expect: { title: Wrong }\n"), "\(text)")
    }

    @Test("A back title of any length leaves a screen that can be drawn", arguments: 0...60)
    func longBackTitle(length: Int) {
        let back = String(repeating: "b", count: length)
        let session: JSONValue = [
            "navigationBar": ["title": "Title", "backButton": ["title": .string(back)]]
        ]
        let lines = ScreenDrawing().draw(session, [:]).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count == 46 })
        #expect(lines[1].contains("Title") == (length < 34))
    }

    @Test("Tags select flows, and shards share them") func selection() throws {
        let place = Place(file: "f", line: 1, column: 1)
        let flows = (0..<10).map {
            Flow(name: "\($0)", tags: [$0 % 2 == 0 ? "even" : "odd"], steps: [], place: place)
        }
        #expect(FlowRunner.selecting(flows, tags: ["even"]).count == 5)
        #expect(FlowRunner.selecting(flows, tags: []).count == 10)
        let shards = (1...3).map { FlowRunner.selecting(flows, shard: $0, of: 3).map(\.name) }
        #expect(shards.map(\.count) == [4, 3, 3])
        #expect(Set(shards.joined()).count == 10)
    }

    @Test("With stopsAtFailure the flows after the first failed one are skipped")
    func failFast() async throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            "name: A\nsteps: [tap-tab: 0]\n---\nname: B\nsteps: [pop]\n---\nname: C\nsteps: [pop]")
        let flows = try FlowReader.read([file])
        var runner = try LocalApps(flows, load: loadApp).runner
        runner.jobs = 1
        runner.stopsAtFailure = true
        let results = await runner.run(flows)
        #expect(results.map(\.status) == [.failed, .skipped, .skipped])
        let report = FlowReport(results, seconds: 0.5).json
        let json = try JSONValue(parsing: Array(report.utf8), maximumDepth: 16)
        #expect(["passed", "failed", "skipped"].map { json[$0]?.number } == [0, 1, 2])
        runner.stopsAtFailure = false
        #expect(await runner.run(flows).map(\.status) == [.failed, .passed, .passed])
    }
}
