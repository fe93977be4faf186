/// Finds all defects of a storyboard, such as references to missing scenes, parameters that no row
/// or link supplies, scenes that are their own indirect parents, and deep links that conflict.
struct StoryboardCheck {
    let draft: StoryboardDraft
    let scenes: [Scene.Name: Scene]
    let dataSource: any DataSource

    private var defects: [StoryboardDefect] = []
    /// The names of the scenes that are their own direct or indirect parents.
    private let circular: Set<Scene.Name>
    /// The names of all scenes in alphabetical order, from which `suggestion` chooses.
    private let sceneNames: [Scene.Name]
    /// The names of the unwind actions that scenes declare.
    let unwindActions: Set<String>
    /// The identifiers of the segues of all scenes.
    let segueIdentifiers: Set<String>

    init(draft: StoryboardDraft, scenes: [Scene.Name: Scene], dataSource: any DataSource) {
        self.draft = draft
        self.scenes = scenes
        self.dataSource = dataSource
        circular = Self.circular(scenes)
        sceneNames = scenes.keys.sorted()
        segueIdentifiers = Set(draft.scenes.flatMap(\.segues).map(\.identifier))
        unwindActions = Set(draft.scenes.flatMap(\.unwindActions))
    }

    func run() -> [StoryboardDefect] {
        var check = self
        check.checkStart()
        for scene in draft.scenes.sorted(by: { $0.name < $1.name }) { check.check(scene) }
        check.checkLinks()
        check.checkFlags()
        return check.defects
    }

    mutating func report(_ keyPath: String, _ reason: String) {
        defects.append(StoryboardDefect(keyPath: keyPath, reason: reason))
    }

    /// Returns the end of an error message that suggests similar names, such as `; did you mean
    /// books?`. The result is empty if no name is similar. Each search takes time, so only the first
    /// 100 defects have one; commands and logs show no more.
    /// - Parameter names: the names in alphabetical order.
    func suggestion(for name: String, among names: @autoclosure () -> [String]) -> String {
        guard defects.count < 100 else { return "" }
        return didYouMean(name, among: names()).map { "; \($0)" } ?? ""
    }

    // MARK: Initial scenes

    private mutating func checkStart() {
        if let initialScene = draft.initialScene {
            let isFirst = draft.hasGuests && draft.segments.isEmpty
            checkRoot(initialScene, isFirst ? .appToGuests : .app, at: "initialScene")
        } else {
            report("initialScene", "missing; expected the name of a scene")
        }
        if let loginScene = draft.loginScene {
            checkRoot(loginScene, .logIn, at: "loginScene")
        }
        // The decoder has reported a segment without a scene.
        for (index, segment) in draft.segments.enumerated() where !segment.scene.isEmpty {
            checkRoot(
                segment.scene, index == 0 && draft.hasGuests ? .appToGuests : .app,
                at: "segments[\(index)].scene",
                allowsContainers: false)
        }
        if draft.hasGuests, draft.loginScene == nil {
            report("guests", "an app with guests needs a loginScene, where they log in")
        }
        if draft.initialIsBare { checkBareStart() }
        if !draft.segments.isEmpty, draft.initialScene.flatMap({ scenes[$0] })?.kind == .tabBar {
            report("segments", "an app with a tab bar as its initial scene has no segments")
        }
    }

    /// Checks the start of an app whose initial scene is in no navigation controller.
    private mutating func checkBareStart() {
        if !draft.segments.isEmpty {
            report("initialIsBare", "an app with segments needs a navigation bar, which shows them")
        } else if let scene = draft.initialScene.flatMap({ scenes[$0] }), scene.kind.isContainer {
            report(
                "initialIsBare",
                "\(scene.name) is a container (\(scene.kind.rawValue)): only content can be bare")
        }
    }

    /// Checks a scene with which a session or a segment starts. The scene must require no
    /// parameters, because the service has no values for them at the start.
    private mutating func checkRoot(
        _ name: Scene.Name, _ start: Start, at keyPath: String, allowsContainers: Bool = true
    ) {
        guard let scene = existing(name, at: keyPath) else { return }
        if !allowsContainers { checkCanBeShown(scene, at: keyPath) }
        let contents = checkContents(of: scene, at: keyPath)
        checkAccess(of: contents, at: start, keyPath)
        for scene in contents {
            if let parameter = scene.requiredParameters.first {
                report(
                    keyPath,
                    "\(scene.name) needs the parameter \(parameter), but a root gets no parameters")
            }
        }
    }

    mutating func existing(_ name: Scene.Name, at keyPath: String) -> Scene? {
        let scene = scenes[name]
        if scene == nil {
            report(
                keyPath,
                "no scene is named \(name)" + suggestion(for: name, among: sceneNames))
        }
        return scene
    }

    mutating func checkCanBeShown(_ scene: Scene, at keyPath: String) {
        guard scene.kind.isContainer else { return }
        report(
            keyPath,
            "\(scene.name) is a container (\(scene.kind.rawValue)): not allowed on a stack; "
                + "name a scene that it contains")
    }

    // MARK: One scene

    private mutating func check(_ scene: Scene) {
        let at = "scenes.\(scene.name)"
        checkAccess(scene, at: at)
        checkParameters(scene, at: at)
        checkTemplate(scene.title, of: scene, at: "\(at).title")
        checkTemplate(scene.bottomBar, of: scene, at: "\(at).bottomBar")
        checkRows(scene, at: at)
        checkSelect(scene, at: "\(at).select")
        checkImage(scene, at: "\(at).image")
        checkPath(scene, at: "\(at).path")
        checkParent(scene, at: "\(at).parent")
        checkContainer(scene, at: at)
        checkSegues(of: scene, at: "\(at).segues")
        let segues = Dictionary(grouping: scene.segues, by: \.identifier)
        checkControls(of: scene, segues, at: at)
        checkSubmit(scene, at: "\(at).submit")
        checkWhenRefused(scene, segues, at: at)
    }

    /// Checks a scene that has `submit`. It must be a form that is shown before the log-in, because
    /// log-in and sign-up are possible only then.
    private mutating func checkSubmit(_ scene: Scene, at keyPath: String) {
        guard scene.submit != nil else { return }
        if scene.kind != .form {
            report(keyPath, "only a form can be submitted: \(scene.name) is not a form")
        } else if scene.access != .login {
            report(keyPath, "\(scene.name) does not have the access login")
        }
    }

    private mutating func checkParameters(_ scene: Scene, at keyPath: String) {
        for (index, parameter) in scene.parameters.enumerated() {
            let at = "\(keyPath).parameters[\(index)]"
            if parameter.isEmpty { report(at, "expected a name, found an empty string") }
            if parameter == "." || parameter == ".." {
                report(at, "\(parameter) means a folder in the path of a link: rename it")
            }
            if parameter == "count" { report(at, "{count} is the number of rows: rename it") }
            if scene.parameters[..<index].contains(parameter) {
                report(at, "the parameter \(parameter) is listed twice")
            }
        }
    }

    private mutating func checkTemplate(
        _ template: TextTemplate?, of scene: Scene, at keyPath: String
    ) {
        guard let template else { return }
        for name in template.parameters where !scene.parameters.contains(name) {
            report(keyPath, "{\(name)} is not one of the scene's parameters")
        }
        guard template.showsCount else { return }
        if scene.rows == nil, scene.fixedRows == nil {
            report(keyPath, "{count} needs a table with rows")
        }
        // The text of a view controller does not follow the flags.
        if scene.fixedRows?.contains(where: { $0.when != nil }) == true {
            report(keyPath, "{count} cannot count rows that have a condition (when)")
        }
    }

    private mutating func checkRows(_ scene: Scene, at keyPath: String) {
        guard let rows = scene.rows else { return }
        guard scene.kind == .table else {
            return report("\(keyPath).rows", "only a table has rows: \(scene.name) is not a table")
        }
        guard let binding = dataSource.rowBindings[rows] else {
            let names = Self.listed(dataSource.rowBindings.keys.sorted())
            return report("\(keyPath).rows", "no rows are named \(rows)\(names)")
        }
        checkSupplied(binding.requires, by: scene, to: rows, at: "\(keyPath).rows")
    }

    private mutating func checkImage(_ scene: Scene, at keyPath: String) {
        guard let image = scene.image else { return }
        guard scene.kind == .image else {
            return report(
                keyPath, "only a scene of kind image has an image: \(scene.name) is not one")
        }
        guard let binding = dataSource.imageBindings[image] else {
            let names = Self.listed(dataSource.imageBindings.keys.sorted())
            return report(keyPath, "no image is named \(image)\(names)")
        }
        checkSupplied(binding.requires, by: scene, to: image, at: keyPath)
    }

    /// Returns the end of an error message with the names that the data has. Data with defects can
    /// have none.
    private static func listed(_ names: [String]) -> String {
        names.isEmpty
            ? ": the data has none" : "; expected one of: \(names.joined(separator: ", "))"
    }

    private mutating func checkSupplied(
        _ names: [String], by scene: Scene, to binding: String, at keyPath: String
    ) {
        for name in names where !scene.requiredParameters.contains(name) {
            report(
                keyPath,
                "\(binding) needs the parameter \(name), which the scene does not have"
                    + (scene.parameters.contains(name) ? " always" : ""))
        }
    }

    private mutating func checkSelect(_ scene: Scene, at keyPath: String) {
        guard let name = scene.select, let selected = existing(name, at: keyPath) else { return }
        guard let rows = scene.rows, scene.kind == .table else {
            return report(keyPath, "only a table with rows can select")
        }
        checkCanBeShown(selected, at: keyPath)
        checkSameRoot(scene, selected, at: keyPath)
        let given = dataSource.rowBindings[rows]?.provides ?? selected.parameters
        for parameter in selected.requiredParameters where !given.contains(parameter) {
            report(keyPath, "\(name) needs the parameter \(parameter), which \(rows) does not give")
        }
    }

    // MARK: Deep links

    private mutating func checkPath(_ scene: Scene, at keyPath: String) {
        guard !scene.paths.isEmpty else { return }
        checkCanBeShown(scene, at: keyPath)
        for path in scene.paths {
            for name in path.parameters where !scene.parameters.contains(name) {
                report(keyPath, "{\(name)} is not one of the scene's parameters")
            }
            for name in path.optionalParameters where scene.requiredParameters.contains(name) {
                report(
                    keyPath,
                    "\(path) can leave out \(name), which the scene needs: write \(name)? in "
                        + "`parameters`")
            }
        }
    }

    private mutating func checkParent(_ scene: Scene, at keyPath: String) {
        guard let name = scene.parent, let parent = existing(name, at: keyPath) else { return }
        checkCanBeShown(parent, at: keyPath)
        checkSameRoot(scene, parent, at: keyPath)
        for parameter in parent.requiredParameters
        where !scene.requiredParameters.contains(parameter) {
            report(
                keyPath,
                "\(name) needs the parameter \(parameter), which \(scene.name) does not have")
        }
        if circular.contains(scene.name) { report(keyPath, "the parents form a cycle") }
    }

    /// Returns the names of the scenes that are their own direct or indirect parents. The running
    /// time is proportional to the number of scenes, even if the chains of parents are long.
    private static func circular(_ scenes: [Scene.Name: Scene]) -> Set<Scene.Name> {
        var circular: Set<Scene.Name> = []
        /// For each scene, the number of the walk that visited the scene first. A walk starts at
        /// one scene and goes from each scene to its parent.
        var walks: [Scene.Name: Int] = [:]
        for (walk, start) in scenes.keys.enumerated() {
            var next: Scene.Name? = start
            while let name = next, let scene = scenes[name], walks[name] == nil {
                walks[name] = walk
                next = scene.parent
            }
            // A walk that reaches a scene it has already visited has found a cycle.
            guard var name = next, walks[name] == walk else { continue }
            while circular.insert(name).inserted, let parent = scenes[name]?.parent {
                name = parent
            }
        }
        return circular
    }
}
