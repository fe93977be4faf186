/// The scene to which a link leads.
struct LinkDestination {
    let scene: Scene
    /// The values of the parameters, by name, for the scene and for its direct and indirect
    /// parents.
    let values: [String: String]
    /// The names of the parameters that are in the path of the link. Other values of these
    /// parameters need other view controllers. The other parameters come from the query.
    let pathParameters: [String]
    /// The link in its normal form.
    let normalForm: String
    /// The pattern that matches the link; nil if none does, so that the link leads to the scene
    /// for unknown links.
    let pattern: String?

    /// Returns the parameters for one of the scenes that the link shows.
    func parameters(of scene: Scene) -> Parameters { scene.parameters(from: values) }
}

extension App {
    /// Checks that the app has a scene for a link.
    /// - Throws: the reason why no session can open the link.
    public func check(_ link: Link) throws(NavigationError) {
        _ = try storyboard.resolve(link, in: dataSource)
    }

    /// Returns the scene whose pattern a link matches; nil if the link matches none.
    package func scene(matching link: Link) -> Scene? {
        let destination = try? storyboard.resolve(link, in: dataSource)
        return destination?.pattern == nil ? nil : destination?.scene
    }
}

extension Storyboard {
    /// Finds the scene that a link opens. If no pattern matches the link, this is the scene for
    /// unknown links.
    /// - Throws: `.foreignLink` if the link belongs to another app. `.malformedLink` if it
    ///   gives a parameter too long a value. If the app has no scene for unknown links:
    ///   `.linkNotFound` if no pattern matches the link, or if the value of a parameter of the
    ///   scene, or of one of its direct and indirect parents, is an id for which the app has no
    ///   data; `.malformedLink` if the percent-encoding of the link is broken.
    func resolve(
        _ link: Link, in dataSource: any DataSource, _ limits: SizeLimits = SizeLimits()
    ) throws(NavigationError) -> LinkDestination {
        do throws(LinkError) { try link.check() } catch { throw .malformedLink(link, error) }
        guard let local = link.local(to: links) else { throw .foreignLink(link, links) }
        let address = LinkAddress(local)
        let destination =
            address.flatMap { self.destination(of: $0, in: dataSource) } ?? unknown(link)
        guard let destination else {
            throw address == nil ? .malformedLink(link, .badEscape) : .linkNotFound(link)
        }
        for (name, value) in destination.values.sorted(by: { $0.key < $1.key }) {
            let length = value.unicodeScalars.count
            guard length <= limits.textLength else {
                throw .malformedLink(
                    link, .valueTooLong(parameter: name, length, maximum: limits.textLength))
            }
        }
        return destination
    }

    /// Returns the scene of the most specific pattern that matches an address, and whose values
    /// exist in the data; nil if there is none.
    func destination(
        of address: LinkAddress, in dataSource: any DataSource
    ) -> LinkDestination? {
        linkIndex.first(at: address.segments) { entry in
            guard let values = entry.values(of: address),
                chain(to: entry.scene).allSatisfy({ scene in
                    scene.firstDangling(in: scene.parameters(from: values), of: dataSource) == nil
                })
            else { return nil }
            return LinkDestination(
                scene: entry.scene, values: values, pathParameters: entry.pattern.parameters,
                normalForm: address.text(query: entry.query),
                pattern: entry.pattern.description)
        }
    }

    /// Returns the link to a scene in the form of its main pattern.
    /// - Parameter values: the values of parameters, by name. Other names are ignored.
    /// - Returns: nil if the scene has no path, if a required parameter has no value, or if no link
    ///   can have the values.
    public func link(to scene: Scene, _ values: [String: String]) -> String? {
        guard let main = linkIndex.main(of: scene),
            scene.requiredParameters.allSatisfy({ values[$0] != nil })
        else { return nil }
        return main.entry.link(scene.parameters(from: values))
    }

    /// Returns whether a pattern matches a path, whatever data there is.
    /// - Parameter path: a path with percent-encoding.
    public func hasPattern(for path: String) -> Bool {
        LinkAddress(path[...]).flatMap { address in
            linkIndex.first(at: address.segments) { $0.values(of: address) }
        } != nil
    }

    /// Returns the index of the tab in which a link opens: the first with this root, but one with a
    /// navigation controller if there is one and the link needs a stack.
    /// - Parameters:
    ///   - scene: the scene of the tab bar controller.
    ///   - shown: the index of the selected tab, which precedes the others; nil for none.
    func tab(
        of scene: Scene, for root: Scene, needsStack: Bool, shown: Int? = nil
    ) -> Int? {
        let roots = roots(of: scene)
        let tabs = ([shown].compactMap(\.self) + roots.indices).filter { roots[$0].scene === root }
        return tabs.first { !needsStack || !roots[$0].isBare } ?? tabs.first
    }

    /// A link that matches no pattern.
    package var unknownLink: String {
        // A broken escape matches no pattern, not even one that takes all other paths.
        hasPattern(for: "/unknown") ? "/%" : "/unknown"
    }

    /// The destination of a link that matches no pattern: the scene for unknown links, with the
    /// link in its parameter `path`; nil if the app has no such scene.
    private func unknown(_ link: Link) -> LinkDestination? {
        guard let scene = notFound else { return nil }
        let name = LinkSettings.notFoundParameter
        return LinkDestination(
            scene: scene, values: scene.parameters.contains(name) ? [name: link.text] : [:],
            pathParameters: [name], normalForm: link.text, pattern: nil)
    }
}

extension Scene {
    /// Returns the parameters of a view controller of this scene. Optional parameters without a
    /// value are left out.
    func parameters(from values: [String: String]) -> Parameters {
        guard requiredParameters.count < parameters.count else {
            return Parameters(names: parameters, values: parameters.map { values[$0] ?? "" })
        }
        let names = parameters.filter { values[$0] != nil || requiredParameters.contains($0) }
        return Parameters(names: names, values: names.map { values[$0] ?? "" })
    }
}
