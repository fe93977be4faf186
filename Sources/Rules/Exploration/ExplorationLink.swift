import NavigationRules

/// A deep link that an exploration opens: the main pattern of a scene with the parameters of a row,
/// or a link that matches no pattern.
struct ExplorationLink {
    let link: Link
    /// The scene that the link shows, and the pattern of its path; the link itself if it matches no
    /// pattern.
    let scene: Scene
    let pattern: String
    /// The scenes that the link shows in each layer, from the lowest layer up. Those of the lowest
    /// layer are empty if the link leaves that layer as it is.
    let parts: [[Scene]]
    private let values: [String: String]
    private let isBare: [Bool]
    /// A number from 1 if the link puts view controllers on a stack that no other link shows on
    /// top, so that a pop can show them for the first time. Heads above them must differ from those
    /// of other stacks; see `Head.mark`. Otherwise 0.
    private(set) var mark: Int16 = 0

    private init(
        _ text: String, to scene: Scene, _ pattern: String, _ values: [String: String], in app: App
    ) {
        link = .path(text)
        self.scene = scene
        self.pattern = pattern
        self.values = values
        let scenes = app.storyboard.scenes
        var chain = [scene]
        while let parent = chain[chain.count - 1].parent.flatMap({ scenes[$0] }) {
            chain.append(parent)
        }
        var parts: [[Scene]] = [[]]
        // A link that no tab has begins a layer of its own.
        if app.storyboard.isHomeless(chain[chain.count - 1]) { parts.append([]) }
        for scene in chain.reversed() {
            if scene.presentation != nil { parts.append([]) }
            parts[parts.count - 1].append(scene)
        }
        self.parts = parts
        isBare = parts.map { part in
            part.count == 1
                && !scenes.values.contains {
                    $0.parent == part[0].name && $0.presentation == nil
                }
        }
    }

    /// Whether the link leaves a layer in place that has `root` at the bottom of its stack.
    func keeps(_ root: ViewController, isBare: Bool, at level: Int) -> Bool {
        parts.count > level && parts[level][0] === root.scene && self.isBare[level] == isBare
            && root.parameters.names.allSatisfy { root.parameters[$0] == values[$0] ?? "" }
    }

    /// Whether the link shows a scene with these parameters, in one of the layers.
    func shows(_ scene: Scene, _ parameters: Parameters) -> Bool {
        parts.joined().contains { $0 === scene }
            && parameters.names.allSatisfy { parameters[$0] == values[$0] ?? "" }
    }

    /// Returns a link to each scene with a path, a link to the scene for unknown links, and those
    /// scenes with a path for which no row has all parameters.
    /// - Parameter rows: the parameters of rows. Each link takes them from the first row that has
    ///   them all.
    static func all(
        _ app: App, rows: [[String: String]]
    ) -> (links: [ExplorationLink], untried: [Scene]) {
        var links: [ExplorationLink] = []
        var untried: [Scene] = []
        for scene in app.storyboard.scenes.values.sorted(by: { $0.name < $1.name }) {
            guard let pattern = scene.paths.first?.description else { continue }
            let needed = scene.requiredParameters
            let row =
                needed.isEmpty ? [:] : rows.first { row in needed.allSatisfy { row[$0] != nil } }
            guard let row, let text = app.storyboard.link(to: scene, row) else {
                untried.append(scene)
                continue
            }
            links.append(ExplorationLink(text, to: scene, pattern, row, in: app))
        }
        if let scene = app.storyboard.notFound {
            let text = app.storyboard.unknownLink
            let values = [LinkSettings.notFoundParameter: text]
            links.append(ExplorationLink(text, to: scene, text, values, in: app))
        }
        let ofScene = Dictionary(grouping: links, by: \.scene.name)
        for index in links.indices {
            let values = links[index].values
            let isShown = links[index].parts.joined().dropLast().allSatisfy { scene in
                ofScene[scene.name, default: []].contains { other in
                    scene.parameters.allSatisfy { other.values[$0] == values[$0] }
                }
            }
            if !isShown { links[index].mark = Int16(truncatingIfNeeded: index + 1) }
        }
        return (links, untried)
    }

    /// Returns the parameters of the first rows of each list of the data.
    /// - Parameter limit: the maximum number of rows of each list for the same parameters.
    static func rows(of app: App, limit: Int) -> [[String: String]] {
        let data = app.dataSource
        let bindings = data.rowBindings.sorted { $0.key < $1.key }
        var found: [[String: String]] = [[:]]
        var known: Set<[String: String]> = [[:]]
        var next = 0
        while next < found.count, found.count < 10_000 {
            let given = found[next]
            next += 1
            for (name, binding) in bindings
            where binding.requires.isEmpty == given.isEmpty
                && binding.requires.allSatisfy({ given[$0] != nil })
                && !binding.provides.allSatisfy({ given[$0] != nil })
            {
                let parameters = Parameters(names: Array(given.keys), values: Array(given.values))
                let count = data.numberOfRows(in: name, parameters) ?? 0
                for index in 0..<min(limit, count) {
                    guard let row = data.row(index, of: name, parameters)?.parameters else {
                        continue
                    }
                    var values = given
                    for name in row.names { values[name] = row[name] }
                    if known.insert(values).inserted { found.append(values) }
                }
            }
        }
        return Array(found.dropFirst())
    }
}
