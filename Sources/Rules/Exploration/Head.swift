import NavigationRules

/// The top view controller of a window, with those facts about what lies below it that decide which
/// actions the window offers and what they show. The stacks of a window have no greatest height,
/// but a storyboard has finitely many heads.
///
/// Pops are the only actions whose results depend on more than the head.
struct Head: Hashable {
    /// An index in `Heads.layers`.
    let layer: Int32
    /// The scene and its parameters, an index in `Heads.contents`.
    let content: Int32
    let tab: Int16
    let isBare: Bool
    /// Whether the view controller is at the bottom of its stack.
    let isFirst: Bool
    /// Whether a view controller on the stack hides the tab bar. Always false without a tab bar.
    let hidesTabBar: Bool
    /// Whether the layer refuses the swipe with which a user dismisses it. Always false for a layer
    /// that has no such swipe.
    let isModal: Bool
    /// The number of the link that put this view controller, or one below it, on a stack without
    /// having shown what it put below; 0 if there is none. See `ExplorationLink.mark`.
    var mark: Int16

    /// The head with the mark 0. Heads that are equal without their marks have the same gestures.
    var withoutMark: Head {
        var head = self
        head.mark = 0
        return head
    }
}

/// The facts about a layer that all its heads share.
struct HeadLayer: Hashable {
    let root: Window.Root
    /// Whether the layer is the lowest one.
    let isRoot: Bool
    let canBeSwipedDown: Bool
    /// The name of the tab bar controller's scene.
    let tabBar: Scene.Name?
    /// The contents at the bottom of the tabs of a presented tab bar controller.
    let tabs: [Int32]
    let segment: Int
    /// A description of the layers from the lowest one to this one if a link could keep them all;
    /// nil if no link keeps this layer, and for the lowest layer.
    let kept: [Int32]?
    /// Whether the view controller that presented the layer is in another tab than the selected
    /// one. Only a link that keeps the layer and selects another tab brings this about.
    let hasDistantPresenter: Bool
}

/// The heads of an app, each with a number.
struct Heads {
    let app: App
    let links: [ExplorationLink]
    private(set) var all: [Head] = []
    private(set) var layers: [HeadLayer] = []
    /// The scene of each content.
    private(set) var contents: [Scene] = []
    private var numbers: [Head: Int32] = [:]
    private var layerNumbers: [HeadLayer: Int32] = [:]
    private var contentNumbers: [Content: Int32] = [:]
    private var sceneNumbers: [ObjectIdentifier: Int32] = [:]
    /// The maximum number of layers that a link shows.
    private let longestLink: Int
    private let dataNames: [String]
    private var isData: [String: Bool]

    private struct Content: Hashable {
        let scene: ObjectIdentifier
        let values: [String]
    }

    /// - Parameter values: the values of the data's parameters that are known from the start.
    init(_ app: App, links: [ExplorationLink], values: Set<String>) {
        self.app = app
        self.links = links
        longestLink = links.map(\.parts.count).max() ?? 0
        let bindings = app.dataSource.rowBindings.values
        dataNames = Set(bindings.flatMap { $0.requires + $0.provides }).sorted()
        isData = Dictionary(uniqueKeysWithValues: values.map { ($0, true) })
    }

    func scene(of head: Int32) -> Scene { contents[Int(all[Int(head)].content)] }
    func layer(of head: Int32) -> HeadLayer { layers[Int(all[Int(head)].layer)] }

    /// Returns the number of the window's head.
    mutating func head(of window: Window, mark: Int16 = 0) -> Int32 {
        let layers = window.layers
        let index = layers.count - 1
        let height = layers[index].selected.stack.viewControllers.count
        return head(window, layers, index, height: height, layer(window, layers, index), mark)
    }

    /// Returns the heads that the window has after all possible pops on the selected stacks, from
    /// the lowest one to the present one.
    /// - Parameter start: the index of the lowest layer to consider.
    mutating func letters(of window: Window, from start: Int = 0, mark: Int16 = 0) -> [Int32] {
        let layers = window.layers
        var letters: [Int32] = []
        for index in layers.indices.dropFirst(start) {
            let layer = layer(window, layers, index)
            for height in 1...layers[index].selected.stack.viewControllers.count {
                letters.append(head(window, layers, index, height: height, layer, mark))
            }
        }
        return letters
    }

    private mutating func head(
        _ window: Window, _ layers: [Layer], _ index: Int, height: Int, _ layer: Int32,
        _ mark: Int16
    ) -> Int32 {
        let holder = layers[index].selected
        let stack = holder.stack.viewControllers[..<height]
        let isSwiped = self.layers[Int(layer)].canBeSwipedDown
        let isModal =
            height == holder.stack.viewControllers.count
            ? layers[index].isModalInPresentation
            : isContainerModal(layers[index]) || stack.contains(where: \.isModalInPresentation)
        let head = Head(
            layer: layer, content: content(of: stack[height - 1]),
            tab: Int16(layers[index].selectedIndex), isBare: holder.isBare, isFirst: height == 1,
            hidesTabBar: layers[index].hasTabBar
                && stack.contains(where: \.hidesBottomBarWhenPushed),
            isModal: isSwiped && isModal, mark: mark)
        if let number = numbers[head] { return number }
        numbers[head] = Int32(all.count)
        all.append(head)
        return Int32(all.count - 1)
    }

    /// Whether the layer refuses a swipe even if no view controller on its stack does.
    private func isContainerModal(_ layer: Layer) -> Bool {
        layer.isModalInPresentation
            && !layer.selected.stack.viewControllers.contains(where: \.isModalInPresentation)
    }

    private mutating func layer(_ window: Window, _ layers: [Layer], _ index: Int) -> Int32 {
        let layer = layers[index]
        let isRoot = index == 0
        let value = HeadLayer(
            root: window.root, isRoot: isRoot,
            canBeSwipedDown: layer.presentationStyle?.canBeSwipedDown ?? false,
            tabBar: layer.tabBarScene?.name,
            tabs: isRoot || !layer.hasTabBar
                ? [] : layer.navigationControllers.map { content(of: $0.stack.root) },
            segment: isRoot ? window.segments?.selectedIndex ?? 0 : 0,
            kept: isRoot ? nil : kept(window, layers, index),
            hasDistantPresenter: index == 1 && hasDistantPresenter(layers))
        if let number = layerNumbers[value] { return number }
        layerNumbers[value] = Int32(self.layers.count)
        self.layers.append(value)
        return Int32(self.layers.count - 1)
    }

    private func hasDistantPresenter(_ layers: [Layer]) -> Bool {
        guard layers[0].hasTabBar, let id = layers[1].presentingViewController else { return false }
        return layers[0].navigationControllers.indices.contains {
            $0 != layers[0].selectedIndex
                && layers[0].navigationControllers[$0].stack.viewControllers.contains {
                    $0.id == id
                }
        }
    }

    private mutating func kept(_ window: Window, _ layers: [Layer], _ index: Int) -> [Int32]? {
        guard index < longestLink else { return nil }
        let ground = layers[0].selected
        var kept = [
            Int32(layers[0].selectedIndex), Int32(window.segments?.selectedIndex ?? 0),
            ground.isBare ? content(of: ground.topViewController) : -1,
        ]
        for (level, layer) in layers.enumerated().prefix(index + 1).dropFirst() {
            let (holder, root) = (layer.selected, layer.selected.stack.root)
            guard !layer.hasTabBar,
                links.contains(where: { $0.keeps(root, isBare: holder.isBare, at: level) })
            else { return nil }
            let isModal = isContainerModal(layer)
            kept.append(content(of: root))
            kept.append(
                (holder.isBare ? 1 : 0) + (isModal ? 2 : 0)
                    + (layer.presentationStyle?.canBeSwipedDown == true ? 4 : 0))
        }
        return kept
    }

    /// Returns the number of a scene with its parameters. A value of a parameter counts only if it
    /// is an id of the data. All other texts are one value, because no rule depends on them.
    private mutating func content(of viewController: ViewController) -> Int32 {
        let scene = viewController.scene
        let parameters = viewController.parameters
        if parameters.values.isEmpty {
            if let number = sceneNumbers[ObjectIdentifier(scene)] { return number }
            sceneNumbers[ObjectIdentifier(scene)] = Int32(contents.count)
            contents.append(scene)
            return Int32(contents.count - 1)
        }
        let values = parameters.values.map { isData($0, in: parameters) ? "=\($0)" : "*" }
        let key = Content(scene: ObjectIdentifier(scene), values: values)
        if let number = contentNumbers[key] { return number }
        contentNumbers[key] = Int32(contents.count)
        contents.append(scene)
        return Int32(contents.count - 1)
    }

    private mutating func isData(_ value: String, in parameters: Parameters) -> Bool {
        if isData[value] == true { return true }
        let found = dataNames.contains { name in
            var names = parameters.names
            var values = parameters.values
            if let index = names.firstIndex(of: name) {
                values[index] = value
            } else {
                names.append(name)
                values.append(value)
            }
            return app.dataSource.displayName(
                of: name, in: Parameters(names: names, values: values)) != nil
        }
        if found { isData[value] = true }
        return found
    }
}
