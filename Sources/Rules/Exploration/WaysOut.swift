import NavigationRules

/// The ways in which gestures that begin with a head on top can end this head's part of the window:
/// by what they do first to what lies below it.
///
/// This is the saturation of a pushdown system (pre*): a head that shows another one has the ways of
/// the other one, except those that end at the head itself. The running time is proportional to the
/// number of moves times the number of ways.
struct WaysOut {
    /// The number of the last unwind action that has a bit of its own.
    static let lastAction = 59
    static let actions: UInt64 = (1 << 60) - 1
    /// Pops the head from its stack.
    static let back: UInt64 = 1 << 60
    /// Dismisses the head's layer.
    static let swipe: UInt64 = 1 << 61
    /// Pops to the root of the head's stack, with a tap on the visible tab.
    static let root: UInt64 = 1 << 62
    /// Leads back to a root of the window, whatever lies below.
    static let free: UInt64 = 1 << 63

    /// How to count an unwinding that leaves a stack and may find its target on another tab, where
    /// it depends on the hidden stacks. A window that is stuck with `most` is certainly stuck, and
    /// one that is not stuck with `fewest` is certainly not.
    enum Assumption { case fewest, most }

    let exploration: Exploration
    let assumption: Assumption
    /// For each head, the unwind actions that it takes.
    let takes: [UInt64]
    let isFirst: [Bool]
    /// For each head, whether it is in the lowest layer.
    let isInRoot: [Bool]
    /// For each head, the unwind actions whose search in other tabs is not decided by the head.
    let blocked: [UInt64]
    /// For each head, those of `blocked` that count as ways to a root.
    private(set) var freed: [UInt64]
    /// For each head, its ways out.
    private(set) var ways: [UInt64] = []
    /// For each head, the heads that show it, and whether on the same stack.
    private let users: [[(head: Int32, isPush: Bool)]]
    /// For each presented layer with tabs, the first head of each tab.
    private var roots: [Int32: [(head: Int32, tab: Int16)]] = [:]
    /// The heads that no window has shown, each with the shown heads that differ from it in the mark
    /// alone. A link can keep what an earlier link has put into the lowest layer, and no pop may have
    /// shown that yet.
    private let hiddenHeads: [(head: Int, equals: [Int32])]

    init(_ exploration: Exploration, _ assumption: Assumption) {
        self.exploration = exploration
        self.assumption = assumption
        var users: [[(Int32, Bool)]] = Array(repeating: [], count: exploration.moves.count)
        for head in exploration.order {
            for move in exploration.moves[Int(head)] where move.isGesture {
                switch move.kind {
                case .push: users[Int(move.target)].append((head, true))
                case .present: users[Int(move.target)].append((head, false))
                default: break
                }
            }
            let value = exploration.heads.all[Int(head)]
            let layer = exploration.heads.layers[Int(value.layer)]
            if value.isFirst, !layer.isRoot, layer.tabBar != nil {
                roots[value.layer, default: []].append((head, value.tab))
            }
        }
        self.users = users
        hiddenHeads = Self.hiddenHeads(exploration)
        let heads = exploration.heads
        takes = heads.all.map { exploration.takes[Int($0.content)] }
        isFirst = heads.all.map(\.isFirst)
        isInRoot = heads.all.map { heads.layers[Int($0.layer)].isRoot }
        let tabs = TabTargets(exploration)
        blocked = tabs.blocked
        freed = assumption == .most ? blocked : blocked.map { _ in 0 }
        ways = saturated()
        if assumption == .fewest, blocked.contains(where: { $0 != 0 }) {
            freed = tabs.sure(ways)
            ways = saturated()
        }
    }

    /// Whether the assumptions differ for this app.
    var isUncertain: Bool {
        exploration.hasLeftOutRows.count > 0 || !exploration.refusesTab.isEmpty
            || zip(blocked, freed).contains { $0 != $1 }
            || exploration.unwindActions.count > Self.lastAction + 1
            || hiddenHeads.contains { $0.equals.isEmpty }
    }

    private static func hiddenHeads(_ exploration: Exploration) -> [(head: Int, equals: [Int32])] {
        let heads = exploration.heads.all
        let hidden = exploration.visits.indices.filter { exploration.visits[$0] == nil }
        guard !hidden.isEmpty else { return [] }
        let shown = Dictionary(grouping: exploration.order) { heads[Int($0)].withoutMark }
        return hidden.map { ($0, shown[heads[$0].withoutMark] ?? []) }
    }

    /// Returns the unwind actions of `actions` that go on below the head, and `free` if one of the
    /// others leads to a root.
    private func leaving(_ head: Int32, _ actions: UInt64) -> UInt64 {
        let index = Int(head)
        guard isFirst[index] else { return actions }
        return actions & ~blocked[index] | (actions & freed[index] != 0 ? Self.free : 0)
    }

    /// Returns the ways that a head's own controls are.
    private func own(_ head: Int32) -> UInt64 {
        var ways: UInt64 = 0
        for move in exploration.moves[Int(head)] where move.isGesture {
            switch move.kind {
            case .back: ways |= Self.back
            case .swipe: ways |= Self.swipe
            case .popToRoot: ways |= Self.root
            case .unwind: ways |= leaving(head, exploration.bit(Int(move.detail)))
            case .push, .present, .replace, .chain: break
            }
        }
        // A tab that is not refused may lead to a root.
        if assumption == .most,
            exploration.hasLeftOutRows.contains(head) || exploration.refusesTab.contains(head)
        {
            ways |= Self.free
        }
        return ways
    }

    /// Returns the ways of all heads.
    private func saturated() -> [UInt64] {
        var ways: [UInt64] = Array(repeating: 0, count: exploration.moves.count)
        var fresh = ways
        var waiting: [Int32] = []
        /// The ways that a visible tab bar adds, and the heads that have it, for each layer and tab.
        var hubs: [TabTargets.Place: (ways: UInt64, heads: [Int32])] = [:]
        func give(_ head: Int32, _ new: UInt64) {
            let new = new & ~ways[Int(head)]
            guard new != 0 else { return }
            ways[Int(head)] |= new
            if fresh[Int(head)] == 0 { waiting.append(head) }
            fresh[Int(head)] |= new
        }
        func showsAgain(_ head: Int32, isPush: Bool, _ new: UInt64) {
            let unwound = new & Self.actions & ~takes[Int(head)]
            let kept = isPush ? new & (Self.swipe | Self.root | Self.free) : new & Self.free
            give(head, kept | leaving(head, unwound))
        }
        let passing = Self.swipe | Self.free | Self.actions
        for head in exploration.order { give(head, own(head)) }
        while let head = waiting.popLast() {
            let new = fresh[Int(head)]
            fresh[Int(head)] = 0
            for user in users[Int(head)] {
                showsAgain(user.head, isPush: user.isPush, new)
            }
            let value = exploration.heads.all[Int(head)]
            guard let roots = roots[value.layer] else { continue }
            if value.isFirst, new & passing != 0 {
                for (_, tab) in hubTabs(of: value, roots) {
                    let key = TabTargets.Place(value.layer, tab)
                    hubs[key, default: (0, [])].ways |= new & passing
                    for user in hubs[key]?.heads ?? [] { give(user, new & passing) }
                }
            }
            if new & Self.root != 0 {
                let key = TabTargets.Place(value)
                hubs[key, default: (0, [])].heads.append(head)
                give(head, hubs[key]?.ways ?? 0)
            }
        }
        for (head, equals) in hiddenHeads {
            let found = equals.map { ways[Int($0)] }
            switch assumption {
            case .most: ways[head] = found.isEmpty ? Self.free : found.reduce(0, |)
            case .fewest: ways[head] = found.isEmpty ? 0 : found.reduce(.max, &)
            }
        }
        return ways
    }

    /// Returns the tabs from which a visible tab bar leads to the root of this tab. A bar that is
    /// visible in one tab was so when the other tabs were left, unless an unwinding left them.
    private func hubTabs(
        of root: Head, _ roots: [(head: Int32, tab: Int16)]
    ) -> [(head: Int32, tab: Int16)] {
        let isPlain =
            assumption == .most
            || exploration.refusesTab.isEmpty && roots.allSatisfy { blocked[Int($0.head)] == 0 }
        return isPlain ? roots : roots.filter { $0.tab == root.tab }
    }
}

extension Exploration {
    func takes(of head: Int32) -> UInt64 { takes[Int(heads.all[Int(head)].content)] }
}
