import Navigation

/// Apps for tests.
enum TestApp {
    /// Returns an app with all features: a login, segments, a table, links with parents,
    /// containers, and all settings of the bars.
    static func everything(
        login: Bool = true, segments: Bool = true, segmentOrder: [Scene.Name] = ["S0", "S1", "S2"],
        without lost: Set<Scene.Name> = [], maximumStackDepth: Int = 8
    ) throws -> App {
        let scenes = try [
            Scene(name: "Login", kind: .form, access: .login, title: TextTemplate("Log In")),
            Scene(
                name: "SignUp", kind: .form, access: .login, title: TextTemplate("Sign Up"),
                path: PathPattern("/login/up")),
            Scene(
                name: "S0", kind: .blank, title: TextTemplate("Italy"),
                bottomBar: TextTemplate("Ciao")),
            Scene(
                name: "S1", kind: .blank, title: TextTemplate("Australia"), path: PathPattern("/s1")
            ),
            Scene(name: "S2", kind: .blank),
            Scene(name: "B", kind: .blank, title: TextTemplate("B")),
            Scene(name: "C", kind: .blank, title: TextTemplate(""), bottomBar: TextTemplate("C")),
            Scene(
                name: "X", kind: .blank, title: TextTemplate("X"), path: PathPattern("/s1/x"),
                parent: "S1"),
            Scene(
                name: "item", kind: .blank, title: TextTemplate("Item {n}"), parameters: ["n"],
                path: PathPattern("/s1/x/{n}"), parent: "X"),
            Scene(
                name: "table", kind: .table, title: TextTemplate("{count} rows"), rows: "numbers",
                select: "item"),
            Scene(
                name: "short", kind: .blank, title: TextTemplate("A very long title"),
                navigationItem: NavigationItem(backButtonTitle: "Lib")),
            Scene(
                name: "hidden", kind: .blank, title: TextTemplate("Hidden"),
                navigationItem: NavigationItem(hidesBackButton: true)),
            Scene(
                name: "full", kind: .blank, title: TextTemplate("Full"),
                hidesBottomBarWhenPushed: true),
            Scene(name: "tabs", kind: .tabBar),
        ]
        let titles = ["S0": "Italy", "S1": "Australia", "S2": "Japan"]
        let draft = StoryboardDraft(
            name: "Everything", loginScene: login ? "Login" : nil, initialScene: "S0",
            segments: segments
                ? segmentOrder.filter { !lost.contains($0) }.map { (titles[$0] ?? "", $0) } : [],
            scenes: scenes.filter { !lost.contains($0.name) })
        return App(
            storyboard: try Storyboard(draft, dataSource: Numbers()), dataSource: Numbers(),
            limits: .depth(maximumStackDepth))
    }
}

/// A data source with three rows, each of which passes its number as a parameter.
struct Numbers: DataSource {
    var rowBindings: [String: RowBinding] {
        ["numbers": RowBinding(requires: [], provides: ["n"])]
    }
    var imageBindings: [String: ImageBinding] { ["picture": ImageBinding(requires: ["n"])] }

    func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? { 3 }

    func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
        (0..<3).contains(index)
            ? Row(title: "Row \(index)", subtitle: nil, parameters: ["n": String(index)]) : nil
    }

    func image(_ binding: String, _ parameters: Parameters) -> ImageReference? { nil }
    func displayName(of parameter: String, in parameters: Parameters) -> String? { nil }
}

extension SizeLimits {
    static func depth(_ depth: Int) -> SizeLimits {
        var limits = SizeLimits()
        limits.stackDepth = depth
        return limits
    }
}
