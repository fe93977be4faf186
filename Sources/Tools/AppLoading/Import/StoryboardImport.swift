import AppDefinition
import JSON

/// The Waypost storyboard that is made from the storyboards of an Xcode project, and findings about
/// the parts that could not be converted exactly. Equal projects and options give equal JSON.
package struct StoryboardImport: Sendable {
    /// The Waypost storyboard as JSON text.
    package let json: String
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
        json = JSONValue.object(members).layout + "\n"
    }

    package var hasWarnings: Bool { findings.contains { $0.severity == .warning } }
}
