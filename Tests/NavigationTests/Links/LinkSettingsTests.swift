import TestSupport
import Testing

@testable import NavigationRules

@Suite struct LinkSettingsTests {
    @Test("Each defect of the key links is reported")
    func links() throws {
        let draft = StoryboardDraft(
            name: "Links", initialScene: "home",
            scenes: [
                Scene(name: "home", kind: .blank),
                Scene(name: "nav", kind: .navigation, root: "home"),
                Scene(name: "missing", kind: .blank, access: .login, parameters: ["path", "n"]),
            ],
            links: LinkSettings(
                hosts: ["example.com", "https://example.com", "*.", "a..b", "example.com:80"],
                schemes: ["shop", "https", "my app", "1a"], notFound: "missing"))
        func defects(_ draft: StoryboardDraft) -> [String] {
            do {
                _ = try Storyboard(draft, dataSource: Numbers())
                return []
            } catch { return error.defects.map { "\($0.keyPath): \($0.reason.prefix(24))" } }
        }
        #expect(
            defects(draft) == [
                "links.hosts[1]: expected a host such as ",
                "links.hosts[2]: expected a host such as ",
                "links.hosts[3]: expected a host such as ",
                "links.hosts[4]: expected a host such as ",
                "links.schemes[1]: https belongs to no app:",
                "links.schemes[2]: expected a scheme such a",
                "links.schemes[3]: expected a scheme such a",
                "links.notFound: missing does not have th",
                "links.notFound: missing needs the parame",
            ])
        var container = draft
        container.links = LinkSettings(notFound: "nav")
        #expect(defects(container) == ["links.notFound: nav is a container (navi"])
        container.links = LinkSettings(notFound: "messing")
        #expect(defects(container) == ["links.notFound: no scene is named messin"])
    }

    @Test(
        "Patterns that match the same links, and optional parameters in a wrong place, are defects",
        arguments: [
            (
                [("a", ["m?"], ["/x/{m?}", "/x/{m?}"], nil)],
                "scenes.a.path: matches the same links"
            ),
            (
                [("a", ["m", "q"], ["/x/{m}"], nil), ("b", ["n"], ["/x/{n}", "/x/{n*}"], nil)],
                "scenes.b.path: /x/{n*} can leave out n"
            ),
            (
                [("a", ["m"], [], nil), ("b", ["m?"], [], "a")],
                "scenes.b.parent: a needs the parameter m"
            ),
            ([("a", ["?"], [], nil)], "scenes.a.parameters[0]: expected a name"),
            ([("a", ["m", "m?"], [], nil)], "scenes.a.parameters[1]: the parameter m is"),
        ] as [([(String, [String], [String], String?)], String)])
    func patterns(
        _ scenes: [(name: String, parameters: [String], paths: [String], parent: String?)],
        _ defect: String
    ) throws {
        let draft = StoryboardDraft(
            name: "Links", initialScene: "home",
            scenes: try [Scene(name: "home", kind: .blank)]
                + scenes.map { scene in
                    Scene(
                        name: scene.name, kind: .blank, parameters: scene.parameters,
                        paths: try scene.paths.map { try PathPattern($0) }, parent: scene.parent)
                })
        do {
            _ = try Storyboard(draft, dataSource: NoData())
            Issue.record("no defect")
        } catch {
            #expect(error.defects.count == 1)
            let found = error.defects.map { "\($0.keyPath): \($0.reason)" }
            #expect(found.first?.hasPrefix(defect) == true, "\(found)")
        }
    }
}
