import Testing

@testable import NavigationRules

@Suite struct LinkListingTests {
    @Test(
        "A pattern is listed even if no link can have the value of the data",
        arguments: [
            ("item", "docs", "/b/docs", nil), ("item", "docs/", "/b/item", nil),
            ("\0", "docs/", "/b/{\0+}", "no value of the data can be in this link"),
        ] as [(String, String, String, String?)])
    func example(
        _ parameter: String, _ value: String, _ example: String, _ defect: String?
    ) throws {
        let source = OneRow(parameter: parameter, value: value)
        let draft = StoryboardDraft(
            name: "Values", initialScene: "a",
            scenes: [
                Scene(name: "a", kind: .table, rows: "rows", select: "b"),
                Scene(
                    name: "b", kind: .blank, parameters: [parameter],
                    paths: [try PathPattern("/b/{\(parameter)+}")], parent: "a"),
            ])
        let app = App(storyboard: try Storyboard(draft, dataSource: source), dataSource: source)
        #expect(app.linkListings.map(\.example) == [example])
        #expect(app.linkListings.map(\.defect) == [defect])
    }

    @Test("A pattern whose example no session can show is listed with the refusal")
    func refused() throws {
        let source = OneRow(parameter: "n", value: "1")
        let draft = StoryboardDraft(
            name: "Deep", initialScene: "a",
            scenes: [
                Scene(name: "a", kind: .blank),
                Scene(name: "b", kind: .blank, paths: [try PathPattern("/b")], parent: "a"),
                Scene(name: "c", kind: .blank, paths: [try PathPattern("/b/c")], parent: "b"),
            ])
        let app = App(
            storyboard: try Storyboard(draft, dataSource: source), dataSource: source,
            limits: .depth(2))
        #expect(
            app.linkListings.map(\.defect) == ["the example does not open: stack-too-deep", nil])
    }

    @Test(
        "Links whose chains of parents are too deep are not opened to find this out",
        .timeLimit(.minutes(1)))
    func longChain() throws {
        let source = OneRow(parameter: "n", value: "1")
        let chain = try (1..<4000).map {
            Scene(
                name: "s\($0)", kind: .blank, paths: [try PathPattern("/s\($0)")],
                parent: $0 == 1 ? "home" : "s\($0 - 1)",
                presentation: $0 == 5 ? .pageSheet : nil)
        }
        let draft = StoryboardDraft(
            name: "Chain", initialScene: "home",
            scenes: [Scene(name: "home", kind: .blank)] + chain)
        let app = App(
            storyboard: try Storyboard(draft, dataSource: source), dataSource: source,
            limits: .depth(5))
        // The stack of the root layer and that of the sheet have five view controllers each.
        #expect(app.linkListings.count { $0.defect == nil } == 9)
    }

    @Test("A link to a log-in scene is opened in the root layer that shows log-in scenes")
    func logIn() throws {
        func places(ofGuests hasGuests: Bool) throws -> [LinkListing.Place] {
            let draft = StoryboardDraft(
                name: "Help", loginScene: hasGuests ? "login" : "logins",
                initialScene: hasGuests ? "tabs" : "home", hasGuests: hasGuests,
                scenes: [
                    Scene(
                        name: "home", kind: .blank, access: hasGuests ? .everyone : .members,
                        paths: [try PathPattern("/")]),
                    Scene(name: "tabs", kind: .tabBar, tabs: [.init(title: "Home", scene: "home")]),
                    Scene(name: "login", kind: .form, access: .login, submit: .logIn),
                    Scene(
                        name: "logins", kind: .tabBar,
                        tabs: [
                            .init(title: "In", scene: "login"), .init(title: "Help", scene: "help"),
                        ]),
                    Scene(
                        name: "help", kind: .blank, access: .login,
                        paths: [try PathPattern("/help")]),
                    Scene(
                        name: "legal", kind: .blank, access: .login,
                        paths: [try PathPattern("/legal")]),
                ])
            let source = OneRow(parameter: "id", value: "1")
            let app = App(
                storyboard: try Storyboard(draft, dataSource: source), dataSource: source)
            return ["home", "help", "legal"].compactMap { scene in
                app.linkListings.first { $0.scene == scene }?.place
            }
        }
        #expect(
            try places(ofGuests: true)
                == [.root(tab: "Home"), .presented(.pageSheet), .presented(.pageSheet)])
        #expect(
            try places(ofGuests: false)
                == [.root(tab: nil), .root(tab: "Help"), .presented(.pageSheet)])
    }
}

/// A data source with one row, which passes one parameter.
private struct OneRow: DataSource {
    let parameter: String
    let value: String

    var rowBindings: [String: RowBinding] {
        ["rows": RowBinding(requires: [], provides: [parameter])]
    }
    let imageBindings: [String: ImageBinding] = [:]

    func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? { 1 }

    func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
        Row(
            title: "Row", subtitle: nil,
            parameters: Parameters(names: [parameter], values: [value]))
    }

    func image(_ binding: String, _ parameters: Parameters) -> ImageReference? { nil }
    func displayName(of parameter: String, in parameters: Parameters) -> String? { nil }
}
