import NavigationRules

/// The windows with less than the maximum number of layers.
///
/// The findings leave the maximum out of account, because what follows from it is no defect of the
/// app. This pass counts the layers, to find windows in which there is room for one more.
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
}
