import NavigationRules
import TestSupport

/// Writes random apps with two to six scenes that use everything that decides where a user can go:
/// all kinds of segues and controls, tabs, layers, unwind actions, a log-in, segments, links,
/// hidden bars, modal sheets, parameters and rows. Two seeds of five have segues that dismiss. One of
/// ten has flags and one of twenty guests, since their exploration lists whole windows. In one of
/// seven, a log-in needs a form. One of eleven can start in no navigation controller.
struct RandomStoryboard {
    private var random: SeededGenerator
    private var containers: [Scene] = []
    private var names: [String] = []
    private var isLogin: Set<String> = []
    private var actions: [String] = []
    private var presentable: [String] = []
    private var withParameter: String?
    private var paths: [String] = []
    private var hasDismissals = false
    private var hasFlags = false
    private var hasGuests = false
    private var hasForm = false

    static func app(seed: UInt64) throws -> App {
        var random = SeededGenerator(seed: seed)
        while true {
            var writer = RandomStoryboard(random: SeededGenerator(seed: random.next()))
            let draft = try writer.draft(seed)
            // Some have a defect, such as an unwind action that no scene takes.
            guard let storyboard = try? Storyboard(draft, dataSource: TwoThings()) else { continue }
            return App(storyboard: storyboard, dataSource: TwoThings())
        }
    }

    static func hasFlags(seed: UInt64) -> Bool { seed % 10 == 9 }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func choice<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func draft(_ seed: UInt64) throws -> StoryboardDraft {
        // The other seeds keep their apps.
        hasDismissals = seed % 5 > 2
        hasFlags = Self.hasFlags(seed: seed)
        hasGuests = seed % 20 == 9
        hasForm = seed % 7 == 3
        names = (0..<choice([2, 2, 3, 3, 3, 4, 4, 5, 6])).map { "s\($0)" }
        actions = Array(["u", "v"].prefix(choice([1, 1, 2])))
        let shape = choice([
            "stack", "stack", "modal", "modal", "tabs", "tabs", "segments", "login", "loginTabs",
        ])
        if shape.hasPrefix("login") || hasGuests {
            isLogin = Set(names.prefix(max(1, names.count / (hasForm ? 2 : 3))))
        }
        let app = names.filter { !isLogin.contains($0) }
        var draft = StoryboardDraft(name: "random \(seed)", initialScene: app[0], scenes: [])
        if !isLogin.isEmpty { draft.loginScene = names[0] }
        draft.hasGuests = hasGuests
        if hasFlags { draft.flags = ["f": true, "g": false] }
        var roots = [app[0], names[0]]
        switch shape {
        case "tabs", "loginTabs": draft.initialScene = try tabs(of: app, &roots)
        case "segments" where app.count > 1:
            let scenes = chance(20) ? [app[0], app[0], app[1]] : Array(app.prefix(2))
            draft.segments = scenes.map { ("G", $0) }
            roots += scenes
        default: if chance(20) { draft.initialScene = try navigation(app[0], &roots) }
        }
        draft.initialIsBare =
            seed % 11 == 5 && draft.segments.isEmpty && draft.initialScene == app[0]
        presentable = app
        if chance(50) { presentable.append(try navigation(choice(app), &roots)) }
        if chance(15) { presentable.append(try tabs(of: app, &roots)) }
        let free = app.filter { !roots.contains($0) }
        if !free.isEmpty, chance(30) { withParameter = choice(free) }
        let scenes = try names.map { try scene($0, app) }
        draft.scenes = scenes + containers
        if chance(20) { draft.links = LinkSettings(notFound: choice(app)) }
        return draft
    }

    private mutating func navigation(
        _ root: String, _ roots: inout [String]
    ) throws -> String {
        roots.append(root)
        let name = "nav\(containers.count)"
        containers.append(
            Scene(
                name: name, kind: .navigation, root: root,
                presentation: chance(20) ? choice([.fullScreen, .formSheet]) : nil,
                isModalInPresentation: chance(20)))
        return name
    }

    private mutating func tabs(
        of scenes: [String], _ roots: inout [String]
    ) throws -> String {
        var tabs: [Scene.Tab] = []
        for _ in 0..<choice([2, 2, 3]) {
            let root = choice(scenes)
            roots.append(root)
            let scene = chance(30) ? root : try navigation(root, &roots)
            tabs.append(
                Scene.Tab(
                    title: "T", scene: scene, shouldSelect: !chance(10),
                    whenRefused: chance(50) ? "g0" : nil))
        }
        let name = "tabs\(containers.count)"
        containers.append(
            Scene(name: name, kind: .tabBar, tabs: tabs, isModalInPresentation: chance(20)))
        return name
    }

    private mutating func scene(_ name: String, _ app: [String]) throws -> Scene {
        var controls = Controls()
        var rows: [FixedRow] = []
        var (left, right, tools): ([String], [String], [String]) = ([], [], [])
        var segues: [Segue] = []
        for index in 0..<choice([0, 1, 1, 2, 2, 3]) {
            let identifier = "g\(index)"
            var segue = try self.segue(identifier, from: name, app)
            if hasFlags, chance(20) { segue = segue.under(condition()) }
            segues.append(segue)
            if let when = segue.when, chance(40) {
                let opposite = FlagCondition(
                    when.value ? "!\(when.flag)" : when.flag)
                segues.append(try self.segue(identifier, from: name, app).under(opposite))
            }
            let when = hasFlags && chance(30) ? condition() : nil
            let sets = hasFlags && chance(25) ? [choice(["f", "g"]): chance(50)] : [:]
            func control(_ title: String) -> Control {
                Control(title: title, segue: identifier, when: when, sets: sets)
            }
            switch choice([
                "button", "button", "button", "left", "right", "tool", "row", "accessory", "code",
            ]) {
            case "button": controls.buttons.append(control("B\(index)"))
            case "left":
                left.append("L\(index)")
                controls.leftItems.append(control("L\(index)"))
            case "right":
                right.append("R\(index)")
                controls.rightItems.append(control("R\(index)"))
            case "tool":
                tools.append("T\(index)")
                controls.toolbarItems.append(control("T\(index)"))
            case "row":
                rows.append(
                    FixedRow(title: "W\(index)", segue: identifier, when: when, sets: sets))
            case "accessory":
                rows.append(FixedRow(title: "A\(index)", accessorySegue: identifier))
            default: break
            }
        }
        let isTable =
            rows.isEmpty && withParameter != nil && withParameter != name && app.contains(name)
            && chance(40)
        let parameters = withParameter == name ? ["thing"] : []
        let path = app.contains(name) && chance(30) ? "/\(name)" : nil
        let parent = paths.isEmpty || !chance(60) || path == nil ? nil : choice(paths)
        if app.contains(name), parameters.isEmpty, path != nil || chance(10) { paths.append(name) }
        // A log-in may take some actions before it.
        let isForm =
            hasForm && rows.isEmpty && name == names.last { [isLogin] in isLogin.contains($0) }
        return Scene(
            name: name, kind: isForm ? .form : isTable || !rows.isEmpty ? .table : .blank,
            access: isLogin.contains(name)
                ? .login : hasGuests && (name == app[0] || chance(50)) ? .everyone : .members,
            title: chance(90) ? try TextTemplate(name.uppercased()) : nil,
            rows: isTable ? "things" : nil, select: isTable ? withParameter : nil,
            parameters: parameters,
            paths: try path.map { [try PathPattern(parameters.isEmpty ? $0 : $0 + "/{thing}")] }
                ?? [],
            parent: parent,
            navigationItem: NavigationItem(
                hidesBackButton: chance(30), leftItems: left,
                leftItemsSupplementBackButton: chance(50), rightItems: right),
            hidesBottomBarWhenPushed: chance(20), toolbarItems: tools,
            submit: isForm ? .logIn : nil, segues: segues,
            unwindActions: actions.filter { _ in chance(35) },
            presentation: chance(20)
                ? choice([.fullScreen, .formSheet, .pageSheet, .overFullScreen, .popover]) : nil,
            isModalInPresentation: chance(20), shouldPop: !chance(15),
            whenRefused: segues.isEmpty || !chance(40) ? nil : choice(segues.map(\.identifier)),
            fixedRows: rows.isEmpty ? nil : rows, controls: controls)
    }

    /// A condition on one of the two flags or, in an app with a log-in, on that.
    private mutating func condition() -> FlagCondition {
        let names = isLogin.isEmpty ? ["f", "g"] : ["f", "g", Flags.loggedIn]
        return FlagCondition((chance(50) ? "!" : "") + choice(names))
    }

    private mutating func segue(
        _ identifier: String, from name: String, _ app: [String]
    ) throws -> Segue {
        let isApp = app.contains(name)
        let kind = choice([
            "show", "show", "push", "present", "present", "unwind", "unwind",
            chance(10) ? "custom" : "show",
        ])
        if hasDismissals, chance(25) { return Segue(identifier: identifier, action: .dismiss) }
        let same = names.filter { isLogin.contains($0) != isApp }
        var targets = chance(hasGuests ? 50 : 95) ? same : names
        if kind == "present", isApp, chance(60) { targets += presentable }
        let target = choice(targets)
        let parameters = target == withParameter ? ["thing": try TextTemplate("one")] : [:]
        let styles: [PresentationStyle] = [
            .fullScreen, .formSheet, .pageSheet, .currentContext, .popover,
        ]
        let action: Segue.Action
        switch kind {
        case "show": action = .show(target)
        case "push": action = .push(target)
        case "present": action = .present(target, chance(50) ? choice(styles) : nil)
        case "unwind": action = .unwind(choice(actions))
        default: action = .custom
        }
        return Segue(
            identifier: identifier, action: action,
            parameters: action.scene == nil ? [:] : parameters)
    }
}

extension Segue {
    fileprivate func under(_ when: FlagCondition) -> Segue {
        Segue(identifier: identifier, action: action, parameters: parameters, when: when)
    }
}

/// Two things, whose ids tables can show.
private struct TwoThings: DataSource {
    private let ids = ["one", "two"]

    var rowBindings: [String: RowBinding] {
        ["things": RowBinding(requires: [], provides: ["thing"])]
    }
    var imageBindings: [String: ImageBinding] { [:] }

    func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? {
        binding == "things" ? 2 : nil
    }

    func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
        ids.indices.contains(index)
            ? Row(title: ids[index], subtitle: nil, parameters: ["thing": ids[index]]) : nil
    }

    func image(_ binding: String, _ parameters: Parameters) -> ImageReference? { nil }

    func displayName(of parameter: String, in parameters: Parameters) -> String? {
        parameter == "thing" ? ids.first { $0 == parameters["thing"] } : nil
    }
}
