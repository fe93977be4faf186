import TestSupport

@testable import NavigationRules

extension TestApp {
    /// Returns an app from a line in the form of `LinkCases`.
    static func links(_ line: some StringProtocol) throws -> App {
        let parts = line.split(separator: ";").map { part in
            part.split(separator: " " as Character).map { String($0) }
        }
        var settings: [String: [String]] = [:]
        for setting in parts.count > 1 ? parts[1] : [] {
            let pair = setting.split(separator: "=")
            settings[String(pair[0])] = pair[1].split(separator: ",").map(String.init)
        }
        let scenes = try parts[0].split(separator: "|").map { words in
            var (name, paths, parameters, parent) = ("", [PathPattern](), [String](), String?.none)
            var (presentation, mark) = (PresentationStyle?.none, "")
            for word in words {
                let text = word.filter { $0 != "(" && $0 != ")" }
                switch (name, mark) {
                case ("", _): name = word
                case (_, "<"): (parent, mark) = (word, "")
                case (_, "^"): (presentation, mark) = (PresentationStyle(rawValue: word), "")
                case _ where word == "<" || word == "^": mark = word
                case _ where word.hasPrefix("/"):
                    paths = try word.replacing("_", with: " ").split(separator: ",")
                        .map { try PathPattern(String($0)) }
                case _ where word == "-": break
                default: parameters.append(text)
                }
            }
            return Scene(
                name: name, kind: .blank, parameters: parameters, paths: paths, parent: parent,
                presentation: presentation)
        }
        let draft = StoryboardDraft(
            name: "Links", initialScene: "Home",
            scenes: scenes + [Scene(name: "Home", kind: .blank)],
            links: LinkSettings(
                hosts: settings["hosts"] ?? [], schemes: settings["schemes"] ?? [],
                notFound: settings["notFound"]?.first))
        return App(storyboard: try Storyboard(draft, dataSource: NoData()), dataSource: NoData())
    }
}
