import JSON

/// The navigation graph of one storyboard, exactly as Xcode's file describes it.
extension XcodeStoryboard {
    /// The graph as JSON: the initial view controller, and the lists of scenes, segues,
    /// relationships between containers and their children, and references to other storyboards.
    package var graph: JSONValue {
        let own = scenes.filter { $0.reference == nil }
        return [
            "initial": JSONValue(initialViewController),
            "scenes": .array(own.map(\.graph)),
            "segues": .array(
                scenes.flatMap { scene in scene.segues.map { $0.graph(from: scene) } }),
            "relationships": .array(
                scenes.flatMap { scene in
                    scene.relationships.map { $0.relationshipGraph(from: scene) }
                }),
            "references": .array(scenes.compactMap(\.referenceGraph)),
        ]
    }
}

extension XcodeScene {
    fileprivate var graph: JSONValue {
        [
            "id": .string(id), "kind": .string(kind),
            "identifier": JSONValue(storyboardIdentifier), "class": JSONValue(customClass),
            "title": JSONValue(navigationItem.title ?? title),
            "tabTitle": JSONValue(tabBarItem?.title),
            "tabSystemItem": JSONValue(tabBarItem?.systemItem),
        ]
    }

    fileprivate var referenceGraph: JSONValue? {
        guard let reference else { return nil }
        return [
            "id": .string(id), "storyboardName": JSONValue(reference.storyboardName),
            "referencedIdentifier": JSONValue(reference.referencedIdentifier),
            "bundleIdentifier": JSONValue(reference.bundleIdentifier),
        ]
    }
}

extension XcodeSegue {
    fileprivate func graph(from scene: XcodeScene) -> JSONValue {
        [
            "from": .string(scene.id), "to": .string(destination), "kind": .string(kind),
            "identifier": JSONValue(identifier), "id": JSONValue(id),
            "unwindAction": JSONValue(unwindAction), "customClass": JSONValue(customClass),
            "trigger": JSONValue(trigger), "via": JSONValue(owner?.kind),
        ]
    }

    fileprivate func relationshipGraph(from scene: XcodeScene) -> JSONValue {
        [
            "from": .string(scene.id), "to": .string(destination),
            "relationship": .string(relationship ?? ""),
        ]
    }
}
