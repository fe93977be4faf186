import NavigationRules

/// The unwind actions that the stacks of tabs may take.
struct TabTargets {
    private let exploration: Exploration
    private let places: [Place: Targets]
    private let isShared: Bool
    /// For each head, the actions that may be taken on another tab than the head's.
    let blocked: [UInt64]

    /// A tab of a layer.
    struct Place: Hashable {
        let layer: Int32
        let tab: Int16

        init(_ head: Head) {
            layer = head.layer
            tab = head.tab
        }

        init(_ layer: Int32, _ tab: some BinaryInteger) {
            self.layer = layer
            self.tab = Int16(tab)
        }
    }

    /// What the stacks of one tab take.
    private struct Targets {
        /// The heads that take an action.
        var takers: [Int32] = []
        var taken: UInt64 = 0
        /// The actions that all heads at the bottom of the stacks take.
        var takenByRoots: UInt64 = ~0
    }

    init(_ exploration: Exploration) {
        self.exploration = exploration
        let isShared = exploration.unwindActions.count > WaysOut.lastAction + 1
        self.isShared = isShared
        var places: [Place: Targets] = [:]
        let heads = exploration.heads
        var known: Set<Int32> = []
        for (number, head) in heads.all.enumerated() {
            guard let name = heads.layers[Int(head.layer)].tabBar else { continue }
            if known.insert(head.layer).inserted, let tabBar = heads.app.storyboard.scenes[name] {
                for tab in tabBar.tabs.indices {
                    let root = exploration.takenByRoot(tabBar.tabs[tab])
                    places[Place(head.layer, tab), default: Targets()].taken |= root
                    places[Place(head.layer, tab), default: Targets()].takenByRoots &= root
                }
            }
            let takes = exploration.takes[Int(head.content)]
            if head.isFirst { places[Place(head), default: Targets()].takenByRoots &= takes }
            guard takes != 0 else { continue }
            places[Place(head), default: Targets()].takers.append(Int32(number))
            places[Place(head), default: Targets()].taken |= takes
        }
        self.places = places
        let shared: UInt64 = isShared ? 1 << UInt64(WaysOut.lastAction) : 0
        blocked = Self.forEach(heads) { head in
            let layer = heads.layers[Int(head.layer)]
            if layer.hasDistantPresenter { return WaysOut.actions }
            let count = layer.tabBar.flatMap { heads.app.storyboard.scenes[$0]?.tabs.count } ?? 0
            return (0..<count).reduce(shared) { bits, tab in
                tab == Int(head.tab) ? bits : bits | (places[Place(head.layer, tab)]?.taken ?? 0)
            }
        }
    }

    /// Returns a value for each head. Heads in the same tab have the same value.
    private static func forEach(_ heads: Heads, _ value: (Head) -> UInt64) -> [UInt64] {
        var known: [Place: UInt64] = [:]
        return heads.all.map { head in
            if let known = known[Place(head)] { return known }
            let new = value(head)
            known[Place(head)] = new
            return new
        }
    }

    /// Returns the heads on other tabs of the same layer that take an action, the first reached
    /// first.
    func takers(of bit: UInt64, besides head: Head) -> [Int32] {
        places.flatMap { place, targets in
            place.layer == head.layer && place.tab != head.tab
                ? targets.takers.filter { exploration.takes(of: $0) & bit != 0 } : []
        }.filter { exploration.visits[Int($0)] != nil }.sorted()
    }

    /// Returns for each head those actions of `blocked` that certainly lead to a root of the
    /// window: the first other tab that can take the action always takes it, and wherever it does,
    /// the tab bar is visible or the stack is at its root.
    func sure(_ ways: [UInt64]) -> [UInt64] {
        let heads = exploration.heads
        guard !isShared else { return heads.all.map { _ in 0 } }
        let safe = places.mapValues { targets in
            targets.takers.reduce(targets.takenByRoots) { bits, taker in
                let isSafe =
                    heads.all[Int(taker)].isFirst
                    || ways[Int(taker)] & (WaysOut.root | WaysOut.free) != 0
                return isSafe ? bits : bits & ~exploration.takes(of: taker)
            }
        }
        return Self.forEach(heads) { head in
            let layer = heads.layers[Int(head.layer)]
            guard layer.isRoot, let name = layer.tabBar,
                let tabBar = heads.app.storyboard.scenes[name]
            else { return 0 }
            var open = WaysOut.actions
            var sure: UInt64 = 0
            for tab in tabBar.tabs.indices where tab != Int(head.tab) {
                let place = Place(head.layer, tab)
                sure |= (safe[place] ?? 0) & open
                open &= ~(places[place]?.taken ?? 0)
            }
            return sure
        }
    }
}

extension Exploration {
    /// Returns the actions that the first view controller of a tab takes, as the storyboard says.
    func takenByRoot(_ tab: Scene.Tab) -> UInt64 {
        let scenes = app.storyboard.scenes
        let scene = scenes[tab.scene]
        let root = scene?.kind == .navigation ? scene?.root.flatMap { scenes[$0] } : scene
        return root.map(bits) ?? 0
    }
}
