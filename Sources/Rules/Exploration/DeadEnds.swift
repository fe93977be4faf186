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

    /// The maximum number of vectors for one head. An app with more is not decided.
    private static let maximum = 256

    private let exploration: Exploration
    private let search: WordSearch<Vector>
    /// The first windows of each scene that are stuck, the nearest first.
    let found: [Scene.Name: [WordSearch<Vector>.Node]]
    /// The scenes for whose heads there are too many vectors.
    let undecided: Set<Scene.Name>

    init(_ ways: WaysOut) {
        let exploration = ways.exploration
        var kept: [[Vector]] = Array(repeating: [], count: exploration.moves.count)
        var found: [Scene.Name: [WordSearch<Vector>.Node]] = [:]
        var undecided: Set<Scene.Name> = []
        search = WordSearch(in: exploration) { head, relation, lower in
            ways.vector(head, relation, lower?.below ?? Vector())
        } isNew: { node in
            let (head, vector) = (Int(node.place.head), node.place.below)
            if kept[head].contains(where: { vector.isWorseNowhere(than: $0) }) { return false }
            let scene = exploration.heads.scene(of: node.place.head).name
            guard kept[head].count < Self.maximum else {
                undecided.insert(scene)
                return false
            }
            kept[head].append(vector)
            if !vector.isSafe, found[scene, default: []].count < 20 {
                found[scene, default: []].append(node)
            }
            return true
        }
        self.exploration = exploration
        self.found = found
        self.undecided = undecided
    }

    /// Returns the actions that lead to a window, from the launch.
    func path(to node: WordSearch<Vector>.Node) -> [Exploration.Action] {
        search.path(to: node, in: exploration)
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

    /// Returns the answers of a word on which a head is shown, or in which another stack of the layer
    /// is selected.
    func vector(
        _ head: Int32, _ relation: WordSearch<DeadEnds.Vector>.Relation, _ word: DeadEnds.Vector
    ) -> DeadEnds.Vector {
        switch relation {
        case .push:
            vector(head, isSafeBelow: word.isSafeBelow, below: word.below, under: word)
        case .present:
            vector(head, isSafeBelow: word.isSafe, below: word.unwinding & Self.actions, under: nil)
        case .replace:
            vector(head, isSafeBelow: word.isSafeBelow, below: word.below, under: nil)
        }
    }
}
