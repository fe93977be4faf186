import NavigationRules

/// A breadth-first search through the windows of an exploration, each of which is a word of heads.
///
/// A search asks one question of many windows. It tells them apart by the head on top and by what
/// the question needs to know of the heads below, so that it visits finitely many places. Only moves
/// that show a head lead on, because a pop shows no head that has not been on top before.
struct WordSearch<Below: Hashable> {
    struct Place: Hashable {
        let head: Int32
        let below: Below
    }

    /// How a head is shown on another one.
    enum Relation { case push, present, replace }

    struct Node {
        let place: Place
        /// The index of the node before; -1 - i if the node follows from the jump with the index i.
        let parent: Int32
        /// The index of the move of the node before.
        let move: Int32
        /// The number of actions since the launch.
        let distance: Int
    }

    /// The places, the nearest first.
    private(set) var nodes: [Node] = []

    /// Searches.
    /// - Parameters:
    ///   - below: returns what is below a head that is shown on a place; nil stands for no window.
    ///   - isNew: whether the search goes on from a node that has been reached. The index of a new
    ///     node is the number of the nodes before it.
    init(
        in exploration: Exploration,
        below: (_ head: Int32, _ relation: Relation, _ lower: Place?) -> Below,
        isNew: (Node) -> Bool
    ) {
        func place(_ head: Int32, _ relation: Relation, on lower: Place?) -> Place {
            Place(head: head, below: below(head, relation, lower))
        }
        func place(of letters: [Int32], on lower: Place?) -> Place? {
            letters.reduce(lower) { lower, head in
                let isFirst = exploration.heads.all[Int(head)].isFirst
                return place(head, isFirst ? .present : .push, on: lower)
            }
        }
        func reach(_ place: Place?, _ parent: Int, move: Int, _ distance: Int) {
            guard let place else { return }
            let node = Node(
                place: place, parent: Int32(parent), move: Int32(move), distance: distance)
            if isNew(node) { nodes.append(node) }
        }
        let jumps = exploration.jumps.enumerated().sorted {
            $0.element.path.count < $1.element.path.count
        }
        var (next, nextJump) = (0, 0)
        while next < nodes.count || nextJump < jumps.count {
            while nextJump < jumps.count,
                next == nodes.count
                    || jumps[nextJump].element.path.count <= nodes[next].distance + 1
            {
                let (number, jump) = jumps[nextJump]
                nextJump += 1
                reach(place(of: jump.letters, on: nil), -1 - number, move: 0, jump.path.count)
            }
            guard next < nodes.count else { break }
            let node = nodes[next]
            for (number, move) in exploration.moves[Int(node.place.head)].enumerated() {
                let target: Place?
                switch move.kind {
                case .push: target = place(move.target, .push, on: node.place)
                case .present: target = place(move.target, .present, on: node.place)
                case .replace: target = place(move.target, .replace, on: node.place)
                case .chain:
                    target = place(of: exploration.chains[Int(move.detail)], on: node.place)
                case .back, .swipe, .popToRoot, .unwind: continue
                }
                reach(target, next, move: number, node.distance + move.actions.count)
            }
            next += 1
        }
    }

    /// Returns the actions that lead to a node since the one before, or since the launch.
    func actions(to node: Node, in exploration: Exploration) -> [Exploration.Action] {
        guard node.parent >= 0 else { return exploration.jumps[Int(-1 - node.parent)].path }
        let head = nodes[Int(node.parent)].place.head
        return exploration.moves[Int(head)][Int(node.move)].actions
    }

    /// Returns the actions that lead to a node since the launch.
    func path(to node: Node, in exploration: Exploration) -> [Exploration.Action] {
        var parts = [actions(to: node, in: exploration)]
        var node = node
        while node.parent >= 0 {
            node = nodes[Int(node.parent)]
            parts.append(actions(to: node, in: exploration))
        }
        return parts.reversed().flatMap(\.self)
    }
}
