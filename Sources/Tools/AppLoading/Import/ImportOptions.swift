import AppDefinition
import Foundation
import JSON
import WaypostCore

/// Options for the import of Xcode storyboards. They supply what is only in the app's code: titles,
/// data, and what the app's own segue classes do.
package struct ImportOptions: Sendable {
    package enum CustomSegue: String, Sendable, CaseIterable { case push, present, ignore }

    /// The classes or scenes that implement an unwind action, by the selector of the action. An
    /// action of none has no effect.
    var unwindActions: [String: [String]] = [:]
    /// The actions that dismiss the layer of their controls; nil if the import decides by the names
    /// of the actions.
    var dismissActions: [String]?
    /// The behaviour of the app's own segue classes, by class name.
    var customSegues: [String: CustomSegue] = [:]
    /// JSON members that replace members of the imported scenes, by scene name. A null removes the
    /// member.
    var scenes: [String: JSONObject] = [:]
    /// JSON members that are added to the top level of the imported storyboard, or replace members
    /// there.
    var members = JSONObject()
    /// The rows of tables, by scene name.
    var rows: [String: [JSONValue]] = [:]

    package init() {}

    /// Reads the options from a JSON file or a property list. Blocks the thread until the file is
    /// read.
    /// - Throws: all defects of the file.
    package mutating func read(fromFile path: String) throws(UnusableFile) {
        var options = self
        _ = try Decoded<Bool>(contentsOfFile: path, admittingJSON: .jansson) { reader in
            options.decode(reader)
            return true
        }
        self = options
    }

    private mutating func decode(_ reader: PropertyListReader) {
        guard let file = reader.dictionary("options (a dictionary)") else { return }
        if let actions = file["unwindActions"].ifPresent?.dictionary() {
            for key in actions.keys { unwindActions[key] = actions[key].strings() }
        }
        dismissActions = file["dismissActions"].ifPresent?.strings() ?? dismissActions
        if let classes = file["customSegues"].ifPresent?.dictionary() {
            for key in classes.keys {
                guard let name = classes[key].string() else { continue }
                guard let meaning = CustomSegue(rawValue: name) else {
                    classes[key].reportDefect("expected push, present or ignore, found \(name)")
                    continue
                }
                customSegues[key] = meaning
            }
        }
        if let scenes = file["scenes"].ifPresent?.dictionary() {
            for key in scenes.keys {
                guard let members = scenes[key].dictionary() else { continue }
                self.scenes[key] = Self.json(members.others(besides: []))
            }
        }
        members = Self.json(
            file.others(besides: ["unwindActions", "dismissActions", "customSegues", "scenes"]))
    }

    private static func json(_ members: [(key: String, value: PropertyList)]) -> JSONObject {
        JSONObject(pairs: members.map { ($0.key, JSONValue($0.value) { .string("\($0)") }) })
    }

    /// Sets `rows` to the rows of tables in a JSON file or a property list. Blocks the thread until
    /// the file is read.
    ///
    /// The file is a dictionary with an array of rows for each scene name. A row is a title, or a
    /// dictionary with the keys `title` and, optionally, `subtitle` and `segue`.
    /// - Throws: all defects of the file.
    package mutating func readRows(fromFile path: String) throws(UnusableFile) {
        let read = try Decoded<[String: [JSONValue]]>(
            contentsOfFile: path, admittingJSON: .jansson
        ) { reader in
            guard let scenes = reader.dictionary("a dictionary of rows by scene") else {
                return nil
            }
            var rows: [String: [JSONValue]] = [:]
            for key in scenes.keys {
                rows[key] = scenes[key].array("an array of rows")?.map { Self.row($0) } ?? []
            }
            return rows
        }
        rows = read.value
    }

    private static func row(_ reader: PropertyListReader) -> JSONValue {
        guard reader.isDictionary, let members = reader.dictionary() else {
            return ["title": JSONValue(reader.scalar())]
        }
        members.refuseKeys(besides: ["title", "subtitle", "segue"])
        var row: JSONObject = ["title": JSONValue(members["title"].scalar())]
        for key in ["subtitle", "segue"] {
            row.add(key, members[key].ifPresent?.scalar().map(JSONValue.string))
        }
        return .object(row)
    }
}

extension ImportOptions {
    /// Returns whether an imported scene is a table, by its kind in the options or else in Xcode.
    func isTable(_ scene: ImportedScene) -> Bool {
        (scenes[scene.name]?["kind"]?.text ?? scene.kind) == "table"
    }

    /// Returns the rows for an imported scene; nil if there are none or the scene is no table.
    func rows(for scene: ImportedScene) -> [JSONValue]? {
        isTable(scene) ? rows[scene.name] : nil
    }

    /// Returns the JSON of the option that names the scenes of an unwind action.
    static func unwinding(_ action: String, to scenes: [String]) -> String {
        (["unwindActions": [action: JSONValue(scenes)]] as JSONValue).compact
    }

    /// Returns the JSON of the option that names the actions which dismiss a layer.
    static func dismissing(_ actions: [String]) -> String {
        (["dismissActions": JSONValue(actions)] as JSONValue).compact
    }
}
