/// A pattern of an app's links, as the command `waypost links` lists it.
public struct LinkListing: Sendable, Equatable {
    public enum Place: Sendable, Equatable {
        /// The root layer, with the title or the scene of the tab that the link selects; nil if the
        /// app has no tabs, or if the link stays on the selected tab.
        case root(tab: String?)
        /// A layer that is presented in a style.
        case presented(PresentationStyle)
    }

    public let pattern: String
    public let scene: Scene.Name
    /// Whether the pattern is the main one of its scene, in which the service writes links.
    public let isMain: Bool
    public let place: Place
    /// The parameters that come from the query. An optional parameter has `?` after its name.
    public let query: [String]
    /// A link that matches the pattern. Its values come from the data. A parameter that no data
    /// supplies has its name as the value; all have, if the values of the data can be in no link. If
    /// the names can be in none either, this is the pattern.
    public let example: String
    /// The reason why the example does not open the scene by this pattern; nil if it does.
    public let defect: String?
}

extension App {
    /// Lists the patterns of all links, in the order of precedence.
    public var linkListings: [LinkListing] {
        let chains = LinkChains(to: storyboard.linked, in: storyboard.scenes)
        return storyboard.linkIndex.entries.compactMap { entry in
            // Each scene with a pattern has a chain.
            guard let chain = chains[entry.scene] else { return nil }
            let examples = examples(of: entry)
            let example = examples.first { defect(of: $0, entry, chain) == nil } ?? examples.first
            let pattern = entry.pattern.description
            return LinkListing(
                pattern: pattern, scene: entry.scene.name, isMain: entry.isMain,
                place: place(of: chain),
                query: entry.query.map { entry.requiredQuery.contains($0) ? $0 : "\($0)?" },
                example: example ?? pattern,
                defect: example.map { defect(of: $0, entry, chain) }
                    ?? "no value of the data can be in this link")
        }
    }

    private func place(of chain: LinkChains.Chain) -> LinkListing.Place {
        if let style = chain.presentation {
            return .presented(style.resolved(in: storyboard.uikit))
        }
        let first = chain.outermost
        // A link that starts with the root of no tab begins a layer of its own.
        if storyboard.isHomeless(first) { return .presented(.pageSheet) }
        guard let root = storyboard.rootScene(for: first), root.kind == .tabBar,
            let index = storyboard.tab(of: root, for: first, needsStack: chain.second != nil)
        else { return .root(tab: nil) }
        return .root(tab: root.tabs[index].title ?? root.tabs[index].scene)
    }

    /// Returns links that match a pattern: one with values for all parameters in the path, and one
    /// without those that can be absent. If no link can have the values of the data, the names of
    /// the parameters are their values.
    private func examples(of entry: LinkIndex.Entry) -> [String] {
        let all = entry.pattern.parameters
        let optional = entry.pattern.optionalParameters
        let shapes = [all, all.filter { !optional.contains($0) }].map { $0 + entry.requiredQuery }
        func link(_ names: [String], _ known: [String: String]) -> String? {
            let values = Dictionary(uniqueKeysWithValues: names.map { ($0, known[$0] ?? $0) })
            return entry.link(entry.scene.parameters(from: values))
        }
        let links = shapes.compactMap { link($0, values(of: $0)) }
        return links.isEmpty ? shapes.compactMap { link($0, [:]) } : links
    }

    /// Returns the values that the data has for parameters. The values of one row go together, so
    /// rows with many of the parameters come first.
    private func values(of names: [String]) -> [String: String] {
        dataSource.rowBindings.filter(\.value.requires.isEmpty)
            .sorted { $0.key < $1.key }
            .compactMap { dataSource.row(0, of: $0.key, .none)?.parameters }
            .map { row in row.byName.filter { names.contains($0.key) } }
            .sorted { $0.count > $1.count }
            .reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    /// Returns the reason why a link does not open the scene of a pattern; nil if it does.
    private func defect(
        of link: String, _ entry: LinkIndex.Entry, _ chain: LinkChains.Chain
    ) -> String? {
        do throws(NavigationError) {
            // In a chain of thousands of scenes, each link would open all its parents first.
            guard chain.maximumDepth <= limits.stackDepth else {
                throw .stackTooDeep(maximum: limits.stackDepth)
            }
            let found = try storyboard.resolve(.path(link), in: dataSource, limits)
            guard found.pattern == entry.pattern.description else {
                return "the pattern \(found.pattern ?? "of no scene") is tried first"
            }
            let username = entry.scene.access == .login ? nil : "user"
            _ = try Window.launch(self, opening: .path(link), username: username)
            return nil
        } catch {
            return "the example does not open: \(error.code.rawValue)"
        }
    }
}
