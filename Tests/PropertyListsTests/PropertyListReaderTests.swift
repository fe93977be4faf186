import Foundation
import JSON
import TestSupport
import Testing
import WaypostCore

@testable import AppDefinition

@Suite("Reading a property list by key")
struct PropertyListReaderTests {
    /// A value like a scene of a storyboard, decoded as another decoder would use the reader.
    private struct Scene: Equatable {
        let kind: String
        let title: String?
        let isHidden: Bool
        let level: Int
        let rows: [String]
        let itemKeys: [String]

        init?(_ reader: PropertyListReader) {
            guard let scene = reader.dictionary("a scene") else { return nil }
            scene.refuseKeys(besides: ["kind", "title", "hidden", "level", "rows", "item"])
            let kind = scene["kind"].string()
            let level = scene["level"].integer()
            title = scene["title"].ifPresent?.string()
            isHidden = scene["hidden"].ifPresent?.boolean() ?? false
            rows = scene["rows"].ifPresent?.strings() ?? []
            itemKeys = scene["item"].ifPresent?.dictionary()?.keys ?? []
            guard let kind, let level else { return nil }
            self.kind = kind
            self.level = level
        }
    }

    private func read(_ text: String) throws -> Decoded<Scene> {
        let path = try TemporaryFolder()
        return try Decoded(
            contentsOfFile: path.write(text, to: "main.json"), admittingJSON: .jansson,
            decode: Scene.init)
    }

    /// The descriptions without line and column, which `JSONPositionTests` check.
    private func defects(in text: String) throws -> [String] {
        let error = try #require(throws: UnusableFile.self) { try read(text) }
        return error.defects.map {
            Diagnostic(file: $0.file, keyPath: $0.keyPath, reason: $0.reason).description
        }
    }

    @Test("Required and optional members of a property list become values")
    func values() throws {
        let full = try read(
            #"{"kind": "table", "title": "A", "hidden": true, "level": 2, "rows": ["a", "b"],"#
                + #" "item": {"b": 1, "a": 2}}"#)
        #expect(full.value.rows == ["a", "b"])
        #expect(full.value.itemKeys == ["a", "b"])
        #expect(full.value.isHidden && full.value.level == 2 && full.value.title == "A")
        let short = try read(#"{"kind": "table", "level": 1}"#)
        #expect(!short.value.isHidden && short.value.title == nil)
        #expect(short.warnings.isEmpty)
    }

    @Test("All defects of a property list are reported in one pass, with file and key path")
    func allDefects() throws {
        let text =
            #"{"colour": 1, "titel": "x", "title": 1, "hidden": 1, "level": true, "rows": ["a", 1, null],"#
            + #" "item": []}"#
        #expect(
            try defects(in: text) == [
                "main.json: colour: unknown key; expected one of "
                    + "hidden, item, kind, level, rows, title",
                "main.json: titel: unknown key; did you mean item or title?",
                "main.json: kind: missing; expected a string",
                "main.json: level: expected an integer, found a boolean",
                "main.json: title: expected a string, found an integer",
                "main.json: hidden: expected a boolean, found an integer",
                "main.json: rows[1]: expected a string, found an integer",
                "main.json: rows[2]: expected a string, found null",
                "main.json: item: expected a dictionary, found an array",
            ])
    }

    @Test("A defect of a property list's top level has no key path")
    func topLevel() throws {
        #expect(try defects(in: "[]") == ["main.json: expected a scene, found an array"])
        #expect(try defects(in: "") == ["main.json: the file is empty; expected a property list"])
    }

    @Test("A defect in nested dictionaries has the complete key path")
    func nestedPath() throws {
        let value = PropertyList.dictionary(["scenes": .dictionary(["main": .dictionary([:])])])
        let error = #expect(throws: UnusableFile.self) {
            try Decoded<String>(value, Diagnostics(file: "a.plist")) { reader in
                guard let scenes = reader.dictionary()?["scenes"].dictionary() else { return nil }
                return scenes.keys.compactMap { scenes[$0].dictionary()?["kind"].string() }.first
            }
        }
        #expect(error?.description == "a.plist: scenes.main.kind: missing; expected a string")
    }

    @Test("A property list with warnings is still decoded")
    func warnings() throws {
        let reading = try Decoded<Int>(.integer(1), Diagnostics(file: "a.plist")) { reader in
            reader.reportWarning("odd")
            return reader.integer()
        }
        #expect(reading.value == 1)
        #expect(reading.warnings == [Diagnostic(file: "a.plist", keyPath: "", reason: "odd")])
    }

    @Test(
        "A property list as JSON has sorted keys, dates of RFC 3339, and text for numbers that JSON lacks"
    )
    func json() {
        let seconds: [Double] = [
            0.9, -0.1, -12_219_292_801, -14_830_974_000, -.infinity, .infinity, .nan,
        ]
        let dates = seconds.map { PropertyList.date(Date(timeIntervalSince1970: $0)) }
        let value = PropertyList.dictionary([
            "b": .array([.integer(1), .real(0.5), .real(.infinity), .boolean(true), .null]),
            "a": .array([.string("A"), .data(Data([1, 2, 3]))]), "c": .array(dates),
        ])
        #expect(
            JSONValue(value) { .string("\($0)") } == [
                "a": ["A", "AQID"],
                "b": [1, .real(0.5), "inf", true, .null],
                "c": [
                    "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1582-10-14T23:59:59Z",
                    "1500-01-10T05:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
                    "0001-01-01T00:00:00Z",
                ],
            ])
    }
}
