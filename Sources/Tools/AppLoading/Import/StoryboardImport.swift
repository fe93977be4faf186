import AppDefinition
import JSON

/// The Waypost storyboard that is made from the storyboards of an Xcode project, and findings about
/// the parts that could not be converted exactly. Equal projects and options give equal JSON.
package struct StoryboardImport: Sendable {
    /// The Waypost storyboard as JSON text. Paths in its data are relative to the folder of the
    /// options.
    package let json: String
    private let members: JSONObject
    package let findings: [ImportFinding]
    /// The names in the options that nothing in the project has.
    let unknownNames: [UnknownName]

    /// Converts the scenes and segues of an Xcode project to a Waypost storyboard.
    package init(_ project: XcodeProject, options: ImportOptions = ImportOptions()) {
        var mapping = SceneMapping(SceneGraph(project), options)
        let scenes = mapping.map()
        findings = project.findings + mapping.findings
        unknownNames = mapping.unknownNames
        let entry = project.storyboards[project.entry]
        var members: JSONObject = [
            "name": .string(entry.name),
            "initialScene": .string(mapping.sceneName(shownBy: mapping.graph.initial)),
        ]
        let others = options.members
        if others["initialScene"] == nil, others["segments"] == nil, mapping.graph.initialIsBare {
            members.add("initialIsBare", true)
        }
        for member in others.members { members.add(member.name, member.value) }
        let list = scenes.map { ($0.name, $0.json(replacing: options.scenes[$0.name] ?? [:])) }
        members.add("scenes", .object(JSONObject(pairs: list)))
        self.members = members
        json = Self.text(members)
    }

    /// Returns the Waypost storyboard as JSON text for another folder than that of the options.
    /// - Parameter path: returns the path to write in place of a path in the data.
    package func json(replacingPaths path: (String) -> String) -> String {
        guard let data = members["data"] else { return json }
        return Self.text(members.setting("data", to: data.replacingPaths(path)))
    }

    private static func text(_ members: JSONObject) -> String {
        JSONValue.object(members).layout + "\n"
    }

    package var hasWarnings: Bool { findings.contains { $0.severity == .warning } }
}

extension JSONValue {
    /// Returns the member `data` of a storyboard with other paths of its files.
    fileprivate func replacingPaths(_ path: (String) -> String) -> JSONValue {
        if let elements { return .array(elements.map { $0.replacingPaths(path) }) }
        guard var object else { return self }
        for name in ["file", "images"] {
            if let text = object[name]?.text {
                object = object.setting(name, to: .string(path(text)))
            }
        }
        return .object(object)
    }
}
