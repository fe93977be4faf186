import Navigation

/// The windows with the maximum number of layers.
///
/// The other passes leave the maximum out of account, because what follows from it is seldom a
/// defect of the app. This pass counts the layers.
struct LayerLimit {
    private let exploration: Exploration
    private static let maximum = Layer.maximum

    private struct Step {
        /// The place before; negative if the place follows from the jump with the index `-1 -
        /// parent`.
        let parent: Int32
        let move: Int32
    }

    /// For each head and number of layers, how the place was reached; nil if it was not.
    private var steps: [Step?]
    private var order: [Int32] = []

    init(_ exploration: Exploration) {
        self.exploration = exploration
        steps = Array(repeating: nil, count: exploration.moves.count * (Self.maximum + 1))
        search()
    }

    private static func place(_ head: Int32, _ layers: Int) -> Int32 {
        head * Int32(maximum + 1) + Int32(layers)
    }

    /// Whether a window can have the maximum number of layers.
    var isReached: Bool { order.contains { Int($0) % (Self.maximum + 1) == Self.maximum } }

    /// Returns the actions that lead from the launch to a head in a window with less than the
    /// maximum number of layers; nil if there is no such window.
    func shortestPath(to head: Int32) -> [Exploration.Action]? {
        (1..<Self.maximum).lazy.map { Self.place(head, $0) }
            .first { steps[Int($0)] != nil }.map(path)
    }

    private mutating func search() {
        let jumps = exploration.jumps.enumerated().sorted {
            $0.element.path.count < $1.element.path.count
        }
        var distances: [Int] = []
        var (next, nextJump) = (0, 0)
        func layers(_ letters: [Int32]) -> Int {
            letters.count { exploration.heads.all[Int($0)].isFirst }
        }
        func reach(_ head: Int32, _ layers: Int, _ step: Step, _ distance: Int) {
            let place = Self.place(head, layers)
            guard layers <= Self.maximum, steps[Int(place)] == nil else { return }
            steps[Int(place)] = step
            order.append(place)
            distances.append(distance)
        }
        while next < order.count || nextJump < jumps.count {
            while nextJump < jumps.count,
                next == order.count || jumps[nextJump].element.path.count <= distances[next] + 1
            {
                let (index, jump) = jumps[nextJump]
                nextJump += 1
                guard let head = jump.letters.last else { continue }
                let step = Step(parent: Int32(-1 - index), move: 0)
                reach(head, layers(jump.letters), step, jump.path.count)
            }
            guard next < order.count else { break }
            let (head, count) = self.head(order[next])
            for (index, move) in exploration.moves[Int(head)].enumerated() {
                let more: Int
                switch move.kind {
                case .push, .replace: more = 0
                case .present: more = 1
                case .chain: more = layers(exploration.chains[Int(move.detail)])
                case .back, .swipe, .popToRoot, .unwind: continue
                }
                let step = Step(parent: order[next], move: Int32(index))
                reach(move.target, count + more, step, distances[next] + 1)
            }
            next += 1
        }
    }

    private func head(_ place: Int32) -> (head: Int32, layers: Int) {
        let (head, layers) = place.quotientAndRemainder(dividingBy: Int32(Self.maximum + 1))
        return (head, Int(layers))
    }

    private func path(to place: Int32) -> [Exploration.Action] {
        var path: [Exploration.Action] = []
        var place = place
        while let step = steps[Int(place)] {
            guard step.parent >= 0 else {
                return exploration.jumps[Int(-1 - step.parent)].path + path.reversed()
            }
            path += exploration.moves[Int(head(step.parent).head)][Int(step.move)].actions
                .reversed()
            place = step.parent
        }
        return path.reversed()
    }

    /// Returns the segues that present something in a window with the maximum number of layers,
    /// with the actions that lead there.
    func refusedPresentations() -> [(head: Int32, path: [Exploration.Action])] {
        var found: [(Int32, [Exploration.Action])] = []
        var known: Set<String> = []
        let limited = exploration.limited.map { ($0.head, $0.action) }
        let moves = order.lazy.map(head).filter { $0.layers == Self.maximum }.flatMap { head, _ in
            exploration.moves[Int(head)].filter { $0.kind == .present }.map { (head, $0.action) }
                + limited.filter { $0.0 == head }
        }
        for (head, action) in moves {
            let name = exploration.heads.scene(of: head).name
            guard known.insert("\(name).\(action.segue ?? "")").inserted else { continue }
            found.append((head, path(to: Self.place(head, Self.maximum)) + [action]))
        }
        return found
    }

    /// Returns the scenes in which a user is stuck because no further layer can be presented, with
    /// the actions that lead there. Each window in the result is stuck; there may be others.
    func deadEnds(_ ways: WaysOut) -> [(scene: Scene.Name, path: [Exploration.Action])] {
        var levels: [[UInt64]] = []
        var level = ways.saturated(above: ways.ways.map { _ in 0 })
        while level != ways.ways, levels.count < Self.maximum - 1 {
            levels.append(level)
            level = ways.saturated(above: level)
        }
        var found: [(Scene.Name, [Exploration.Action])] = []
        var known: Set<Scene.Name> = []
        for place in order {
            let (head, layers) = head(place)
            let index = Self.maximum - layers
            guard index < levels.count, levels[index][Int(head)] != ways.ways[Int(head)] else {
                continue
            }
            let scene = exploration.heads.scene(of: head).name
            guard !known.contains(scene), !isSafe(place, ways, levels) else { continue }
            known.insert(scene)
            found.append((scene, path(to: place)))
        }
        return found
    }

    /// Returns whether gestures lead from the first window of a place to a root.
    private func isSafe(_ place: Int32, _ ways: WaysOut, _ levels: [[UInt64]]) -> Bool {
        var letters: [Int32] = []
        var path: [Exploration.Move] = []
        var place = place
        while let step = steps[Int(place)] {
            guard step.parent >= 0 else {
                letters = exploration.jumps[Int(-1 - step.parent)].letters
                break
            }
            path.append(exploration.moves[Int(head(step.parent).head)][Int(step.move)])
            place = step.parent
        }
        for move in path.reversed() {
            if move.kind == .replace {
                while let last = letters.popLast(), !exploration.heads.all[Int(last)].isFirst {}
            }
            letters +=
                move.kind == .chain ? exploration.chains[Int(move.detail)] : [move.target]
        }
        var word = DeadEnds.Vector()
        var layers = 0
        for head in letters {
            let isFirst = ways.isFirst[Int(head)]
            if isFirst { layers += 1 }
            let index = Self.maximum - layers
            let level = levels.indices.contains(index) ? levels[index] : nil
            word =
                isFirst ? ways.vector(head, above: word, level) : ways.vector(head, on: word, level)
        }
        return word.isSafe
    }
}
