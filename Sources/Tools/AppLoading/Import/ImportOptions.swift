import AppDefinition
import Foundation
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
    var scenes: [String: [(String, OrderedJSON)]] = [:]
    /// JSON members that are added to the top level of the imported storyboard, or replace members
    /// there.
    var members: [(String, OrderedJSON)] = []
    /// The rows of tables, by scene name.
    var rows: [String: [OrderedJSON]] = [:]

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
                self.scenes[key] = members.others(besides: []).map {
                    ($0.key, OrderedJSON($0.value))
                }
            }
        }
        members = file.others(besides: [
            "unwindActions", "dismissActions", "customSegues", "scenes",
        ])
        .map { ($0.key, OrderedJSON($0.value)) }
    }

    /// Sets `rows` to the rows of tables in a JSON file or a property list. Blocks the thread until
    /// the file is read.
    ///
    /// The file is a dictionary with an array of rows for each scene name. A row is a title, or a
    /// dictionary with the keys `title` and, optionally, `subtitle` and `segue`.
    /// - Throws: all defects of the file.
    package mutating func readRows(fromFile path: String) throws(UnusableFile) {
        let read = try Decoded<[String: [OrderedJSON]]>(
            contentsOfFile: path, admittingJSON: .jansson
        ) { reader in
            guard let scenes = reader.dictionary("a dictionary of rows by scene") else {
                return nil
            }
            var rows: [String: [OrderedJSON]] = [:]
            for key in scenes.keys {
                rows[key] = scenes[key].array("an array of rows")?.map { Self.row($0) } ?? []
            }
            return rows
        }
        rows = read.value
    }

    private static func row(_ reader: PropertyListReader) -> OrderedJSON {
        guard reader.isDictionary, let members = reader.dictionary() else {
            return .object([("title", .optional(reader.scalar()))])
        }
        members.refuseKeys(besides: ["title", "subtitle", "segue"])
        var row = [("title", OrderedJSON.optional(members["title"].scalar()))]
        for key in ["subtitle", "segue"] {
            if let text = members[key].ifPresent?.scalar() { row.append((key, .string(text))) }
        }
        return .object(row)
    }
}

extension ImportOptions {
    /// Returns the JSON of the option that names the scenes of an unwind action.
    static func unwinding(_ action: String, to scenes: [String]) -> String {
        let names = OrderedJSON.array(scenes.map { .string($0) })
        return OrderedJSON.object([("unwindActions", .object([(action, names)]))]).compact
    }

    /// Returns the JSON of the option that names the actions which dismiss a layer.
    static func dismissing(_ actions: [String]) -> String {
        OrderedJSON.object([("dismissActions", .array(actions.map { .string($0) }))]).compact
    }
}

extension OrderedJSON {
    /// Converts a property list to JSON. Keys are sorted, because property lists do not keep their
    /// order.
    init(_ value: PropertyList) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .number("\(number)")
        case .real(let number): self = .number("\(number)")
        case .boolean(let flag): self = .boolean(flag)
        case .date(let date): self = .string(date.ISO8601Format())
        case .data(let data): self = .string(data.base64EncodedString())
        case .array(let elements): self = .array(elements.map { OrderedJSON($0) })
        case .dictionary(let members):
            self = .object(
                members.sorted { $0.key < $1.key }.map { ($0.key, OrderedJSON($0.value)) })
        case .null: self = .null
        }
    }
}
