/// The navigation graph of one storyboard, exactly as Xcode's file describes it.
extension XcodeStoryboard {
    /// The graph as JSON: the initial view controller, and the lists of scenes, segues,
    /// relationships between containers and their children, and references to other storyboards.
    package var graph: OrderedJSON {
        let own = scenes.filter { $0.reference == nil }
        return .object([
            ("initial", .optional(initialViewController)),
            ("scenes", .array(own.map(\.graph))),
            ("segues", .array(edges(\.segues) { $0.graph })),
            ("relationships", .array(edges(\.relationships) { $0.relationshipGraph })),
            ("references", .array(scenes.compactMap(\.referenceGraph))),
        ])
    }

    private func edges(
        _ segues: (XcodeScene) -> [XcodeSegue],
        _ members: (XcodeSegue) -> [(String, OrderedJSON)]
    ) -> [OrderedJSON] {
        scenes.flatMap { scene in
            segues(scene).map { segue in
                .object(
                    [("from", .string(scene.id)), ("to", .string(segue.destination))]
                        + members(segue))
            }
        }
    }
}

extension XcodeScene {
    fileprivate var graph: OrderedJSON {
        .object([
            ("id", .string(id)), ("kind", .string(kind)),
            ("identifier", .optional(storyboardIdentifier)),
            ("class", .optional(customClass)),
            ("title", .optional(navigationItem.title ?? title)),
            ("tabTitle", .optional(tabBarItem?.title)),
            ("tabSystemItem", .optional(tabBarItem?.systemItem)),
        ])
    }

    fileprivate var referenceGraph: OrderedJSON? {
        guard let reference else { return nil }
        return .object([
            ("id", .string(id)),
            ("storyboardName", .optional(reference.storyboardName)),
            ("referencedIdentifier", .optional(reference.referencedIdentifier)),
            ("bundleIdentifier", .optional(reference.bundleIdentifier)),
        ])
    }
}

extension XcodeSegue {
    fileprivate var graph: [(String, OrderedJSON)] {
        [
            ("kind", .string(kind)), ("identifier", .optional(identifier)),
            ("id", .optional(id)), ("unwindAction", .optional(unwindAction)),
            ("customClass", .optional(customClass)), ("trigger", .optional(trigger)),
            ("via", .optional(owner?.kind)),
        ]
    }

    fileprivate var relationshipGraph: [(String, OrderedJSON)] {
        [("relationship", .string(relationship ?? ""))]
    }
}
