import NavigationRules

/// Searches the windows from which no gesture leads back to a root.
///
/// A window is a word of heads. Whether it is stuck depends on the ways out of its top head, and on
/// where they land in the word below. A search over pairs of a head and a vector of these answers
/// finds all windows that are stuck, the shortest way to each first. The search is exponential in
/// the number of unwind actions at worst. It is small in practice, because a vector that is worse
/// nowhere than one that was found earlier for the same head adds nothing.
struct DeadEnds {
    /// The answers that a word gives to the heads above it.
    struct Vector: Hashable {
        /// Whether an unwinding from above leads to safety, for each action. The bit `isSafe` says
        /// whether the word itself is safe, and `isSafeBelow` whether it is safe without its layer.
        var unwinding: UInt64 = 0
        /// Whether an unwinding that reaches the layer below leads to safety, for each action.
        var below: UInt64 = 0

        static let isSafe: UInt64 = 1 << 60
        static let isSafeBelow: UInt64 = 1 << 61

        var isSafe: Bool { unwinding & Self.isSafe != 0 }
        var isSafeBelow: Bool { unwinding & Self.isSafeBelow != 0 }

        func isWorseNowhere(than other: Vector) -> Bool {
            other.unwinding & ~unwinding == 0 && other.below & ~below == 0
        }
    }

    private struct Node {
        let head: Int32
        let vector: Vector
        /// The node before; -1 - i for the jump with the index i.
        let parent: Int32
        /// The index of the move of the node before.
        let move: Int32
        let distance: Int32
    }

    /// The maximum number of vectors for one head. An app with more is not decided.
    private static let maximum = 256

    private let ways: WaysOut
    private let exploration: Exploration
    private var nodes: [Node] = []
    private var kept: [[Vector]] = []
    /// The first windows of each scene that are stuck, and the numbers of actions that lead there.
    private(set) var found: [Scene.Name: [(node: Int32, distance: Int)]] = [:]
    /// The scenes for whose heads there are too many vectors.
    private(set) var undecided: Set<Scene.Name> = []

    init(_ ways: WaysOut) {
        self.ways = ways
        exploration = ways.exploration
        kept = Array(repeating: [], count: ways.exploration.moves.count)
        search()
    }

    /// Returns the actions that lead to a node, from the launch.
    func path(to node: Int32) -> [Exploration.Action] {
        var path: [Exploration.Action] = []
        var node = nodes[Int(node)]
        while node.parent >= 0 {
            let parent = nodes[Int(node.parent)]
            path += exploration.moves[Int(parent.head)][Int(node.move)].actions.reversed()
            node = parent
        }
        return exploration.jumps[Int(-1 - node.parent)].path + path.reversed()
    }

    private mutating func search() {
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
                guard let top = jump.letters.last else { continue }
                reach(
                    Node(
                        head: top, vector: ways.vector(of: jump.letters),
                        parent: Int32(-1 - number), move: 0, distance: Int32(jump.path.count)))
            }
            expand(next)
            next += 1
        }
    }

    private mutating func expand(_ index: Int) {
        guard index < nodes.count else { return }
        let node = nodes[index]
        for (number, move) in exploration.moves[Int(node.head)].enumerated() {
            let vector: Vector
            switch move.kind {
            case .push: vector = ways.vector(move.target, on: node.vector)
            case .present: vector = ways.vector(move.target, above: node.vector)
            case .replace: vector = ways.vector(move.target, besides: node.vector)
            case .chain:
                vector = ways.vector(
                    of: exploration.chains[Int(move.detail)], above: node.vector)
            case .back, .swipe, .popToRoot, .unwind: continue
            }
            reach(
                Node(
                    head: move.target, vector: vector, parent: Int32(index), move: Int32(number),
                    distance: node.distance + 1 + Int32(move.rest.count)))
        }
    }

    private mutating func reach(_ node: Node) {
        let head = Int(node.head)
        if kept[head].contains(where: { node.vector.isWorseNowhere(than: $0) }) { return }
        guard kept[head].count < Self.maximum else {
            undecided.insert(exploration.heads.scene(of: node.head).name)
            return
        }
        kept[head].append(node.vector)
        if !node.vector.isSafe {
            let scene = exploration.heads.scene(of: node.head).name
            if found[scene, default: []].count < 20 {
                found[scene, default: []].append((Int32(nodes.count), Int(node.distance)))
            }
        }
        nodes.append(node)
    }
}

extension WaysOut {
    /// Returns the answers of a word with `head` on top.
    /// - Parameters:
    ///   - isSafeBelow: whether the window is safe without the layer of the head.
    ///   - below: see `DeadEnds.Vector.below`.
    ///   - under: the answers of the word without the head, if both are on the same stack.
    private func vector(
        _ head: Int32, isSafeBelow: Bool, below: UInt64, under: DeadEnds.Vector?
    ) -> DeadEnds.Vector {
        let ways = ways[Int(head)]
        let isRoot = isInRoot[Int(head)]
        let passing = below & ~blocked[Int(head)] | freed[Int(head)]
        let lower = under.map { $0.unwinding & Self.actions } ?? passing
        let isSafe =
            isRoot && (under == nil || ways & Self.root != 0)
            || ways & Self.free != 0
            || ways & Self.swipe != 0 && isSafeBelow
            || ways & Self.back != 0 && under?.isSafe == true
            || ways & lower & Self.actions != 0
        let taken = takes[Int(head)]
        return DeadEnds.Vector(
            unwinding: lower & ~taken | (isSafe ? taken | DeadEnds.Vector.isSafe : 0)
                | (isSafeBelow ? DeadEnds.Vector.isSafeBelow : 0),
            below: below)
    }

    /// Returns the answers of a word after a push.
    func vector(_ head: Int32, on word: DeadEnds.Vector) -> DeadEnds.Vector {
        vector(head, isSafeBelow: word.isSafeBelow, below: word.below, under: word)
    }

    /// Returns the answers of a word after a presentation.
    func vector(_ head: Int32, above word: DeadEnds.Vector) -> DeadEnds.Vector {
        vector(head, isSafeBelow: word.isSafe, below: word.unwinding & Self.actions, under: nil)
    }

    /// Returns the answers of a word in which another stack of the layer is selected.
    func vector(_ head: Int32, besides word: DeadEnds.Vector) -> DeadEnds.Vector {
        vector(head, isSafeBelow: word.isSafeBelow, below: word.below, under: nil)
    }

    /// Returns the answers of a word of heads.
    func vector(of letters: [Int32], above word: DeadEnds.Vector? = nil) -> DeadEnds.Vector {
        var word = word ?? DeadEnds.Vector()
        for head in letters {
            word =
                isFirst[Int(head)]
                ? vector(head, above: word) : vector(head, on: word)
        }
        return word
    }
}
