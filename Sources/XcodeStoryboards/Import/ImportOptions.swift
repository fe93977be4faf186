import Foundation
import PropertyLists

/// The parts of an app that are not in its storyboards: the titles and data that its code sets, and
/// the meaning of its own segue classes.
public struct ImportOptions: Sendable {
    public enum CustomSegue: String, Sendable, CaseIterable { case push, present, ignore }

    /// The file name of the storyboard with the initial view controller, without its extension.
    public var initialStoryboard: String?
    /// The classes or scenes that have the action of an unwind segue, by action.
    var unwindActions: [String: [String]] = [:]
    /// The meaning of the app's own segue classes, by class name.
    var customSegues: [String: CustomSegue] = [:]
    /// The members that replace those of the imported scenes, by scene; a null removes a member.
    var scenes: [String: [(String, OrderedJSON)]] = [:]
    /// The members of the imported storyboard that the options set, besides its scenes.
    var members: [(String, OrderedJSON)] = []
    /// The rows of tables, by scene.
    var rows: [String: [OrderedJSON]] = [:]

    public init() {}

    /// Reads an options file, JSON or a property list. Blocks until it is read.
    /// - Throws: all defects of the file.
    public mutating func read(fromFile path: String) throws(UnusableFile) {
        var options = self
        _ = try Decoded<Bool>(contentsOfFile: path, admittingJSON: true) { reader in
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
        members = file.others(besides: ["unwindActions", "customSegues", "scenes"])
            .map { ($0.key, OrderedJSON($0.value)) }
    }

    /// Reads the rows of tables: a dictionary of arrays by scene. A row is a title, or a dictionary
    /// with `title`, and `subtitle` and `segue` if it has them.
    /// - Throws: all defects of the file.
    public mutating func readRows(fromFile path: String) throws(UnusableFile) {
        let read = try Decoded<[String: [OrderedJSON]]>(
            contentsOfFile: path, admittingJSON: true
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

extension OrderedJSON {
    /// Converts a property list. The keys are sorted, because those of a dictionary have no order.
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
