import NavigationRules

/// The rows of data that lead to scenes in which a user can do the same.
///
/// A list of windows grows with each row, for every combination of stacks. The rows of a table
/// whose scenes, and all that these lead to, differ in nothing but their texts stand for each other,
/// so an exploration that lists windows taps the first of them.
struct RowClasses {
    private let app: App
    private let links: [ExplorationLink]
    private var known: [Content: Int] = [:]

    private struct Content: Hashable {
        let scene: Scene.Name
        let values: [String]
    }

    private static let maximumDepth = 12

    init(_ app: App, links: [ExplorationLink]) {
        self.app = app
        self.links = links
    }

    /// Returns the indices of the first rows of each class in a table of data; nil if the table has
    /// no data.
    mutating func firstRows(of table: ViewController, among count: Int) -> [Int]? {
        guard let binding = table.scene.rows else { return nil }
        var seen: Set<Int> = []
        return (0..<count).filter { index in
            guard let row = app.dataSource.row(index, of: binding, table.parameters) else {
                return true
            }
            return seen.insert(hash(of: row, in: table.scene, table.parameters, 0)).inserted
        }
    }

    /// Returns a hash of what the selection of a row leads to.
    private mutating func hash(
        of row: Row, in scene: Scene, _ parameters: Parameters, _ depth: Int
    ) -> Int {
        var hasher = Hasher()
        hasher.combine(row.title.isEmpty)
        let segues = scene.segues.filter { $0.identifier == scene.selectSegue }
        for target in segues.compactMap(\.action.scene) + [scene.select].compactMap(\.self) {
            hasher.combine(hash(of: target, parameters, row.parameters, depth))
        }
        // A segue can set parameters to other texts, which may be values of the data.
        if segues.contains(where: { !$0.parameters.isEmpty }) { combine(row, into: &hasher) }
        return hasher.finalize()
    }

    private func combine(_ row: Row, into hasher: inout Hasher) {
        hasher.combine(row.parameters.names)
        hasher.combine(row.parameters.values)
    }

    /// Returns a hash of what a user can do in a scene that is shown from another one.
    private mutating func hash(
        of name: Scene.Name, _ source: Parameters, _ given: Parameters, _ depth: Int
    ) -> Int {
        guard let first = app.storyboard.scenes[name] else { return 0 }
        let scenes = [first.root].compactMap { $0.flatMap { app.storyboard.scenes[$0] } }
        let tabs = first.tabs.compactMap { tab in app.storyboard.scenes[tab.scene] }
        let contents = first.kind.isContainer ? scenes + tabs : [first]
        var hasher = Hasher()
        for scene in contents {
            let values = scene.parameters.map { given[$0] ?? source[$0] ?? "" }
            let parameters = Parameters(names: scene.parameters, values: values)
            hasher.combine(
                scene.kind.isContainer
                    ? hash(of: scene.name, source, given, depth + 1)
                    : hash(of: scene, parameters, depth))
        }
        return hasher.finalize()
    }

    private mutating func hash(of scene: Scene, _ parameters: Parameters, _ depth: Int) -> Int {
        let content = Content(scene: scene.name, values: parameters.values)
        if let hash = known[content] { return hash }
        var hasher = Hasher()
        hasher.combine(scene.name)
        guard !parameters.values.isEmpty else { return hasher.finalize() }
        // The values themselves make a class of their own: for a scene that leads to itself.
        hasher.combine(parameters.values)
        known[content] = hasher.finalize()
        guard depth < Self.maximumDepth, scene.segues.allSatisfy(\.parameters.isEmpty) else {
            return hasher.finalize()
        }
        hasher = Hasher()
        hasher.combine(scene.name)
        for (name, value) in zip(parameters.names, parameters.values) {
            hasher.combine(value.isEmpty)
            hasher.combine(app.dataSource.displayName(of: name, in: parameters)?.isEmpty)
        }
        for link in links { hasher.combine(link.shows(scene, parameters)) }
        for target in scene.segues.compactMap(\.action.scene) {
            hasher.combine(hash(of: target, parameters, .none, depth + 1))
        }
        if let binding = scene.rows {
            var rows: Set<Int> = []
            for index in 0..<(app.dataSource.numberOfRows(in: binding, parameters) ?? 0) {
                guard let row = app.dataSource.row(index, of: binding, parameters) else { continue }
                rows.insert(hash(of: row, in: scene, parameters, depth + 1))
            }
            for row in rows.sorted() { hasher.combine(row) }
        }
        let hash = hasher.finalize()
        known[content] = hash
        return hash
    }
}
