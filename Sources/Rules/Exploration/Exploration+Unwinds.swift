import NavigationRules

/// Finds windows in which an unwind segue has an effect.
extension Exploration {
    /// Whether a target of an unwind action lies below a head: on its stack, in the layers below,
    /// or perhaps on another tab. The rules for the second follow from those of the first, so a
    /// search over heads with these three bits decides whether an action ever has a target.
    private struct Below: OptionSet, Hashable {
        let rawValue: Int32
        static let onStack = Below(rawValue: 1)
        static let inLayers = Below(rawValue: 2)
        static let onTabs = Below(rawValue: 4)
    }

    private typealias Search = WordSearch<Below>

    /// Tries each unwind segue that had no effect so far in windows that have a target for it.
    /// - Returns: whether an unwinding led to a new head.
    mutating func findUnwinds() -> Bool {
        let reached = order.count
        unsureSegues = []
        addShownParts()
        var targets = TabTargets(self)
        for number in unwindActions.indices {
            let segues = unusedSegues(number)
            let showsTabs = unshownTabs.contains { takenByRoot($0.tab) & bit(number) != 0 }
            guard !segues.isEmpty || showsTabs else { continue }
            // An unwinding of another action may have led to heads that the targets lack.
            if targets.blocked.count < heads.all.count { targets = TabTargets(self) }
            let search = search(bit(number), targets)
            if showsTabs {
                for node in search.nodes where node.place.below == .onTabs {
                    let head = node.place.head
                    for move in moves[Int(head)]
                    where move.kind == .unwind && move.detail == number {
                        let path = search.path(to: node, in: self)
                        tryUnwinding(nil, move.action, head, after: path)
                    }
                }
            }
            for node in search.nodes {
                for (key, action) in segues[node.place.head] ?? []
                where firstOfSegue[key] == nil && !node.place.below.isEmpty {
                    tryUnwinding(key, action, node, search, bit(number), targets)
                }
            }
        }
        return order.count > reached
    }

    /// Returns the segues with an unwind action that have had no effect, by their heads.
    private func unusedSegues(_ number: Int) -> [Int32: [(key: String, action: Action)]] {
        var found: [Int32: [(String, Action)]] = [:]
        for head in order {
            for move in moves[Int(head)] where move.kind == .unwind && move.detail == number {
                guard let segue = move.action.segue else { continue }
                let key = "\(heads.scene(of: head).name).\(segue)"
                if firstOfSegue[key] == nil { found[head, default: []].append((key, move.action)) }
            }
        }
        return found
    }

    private func search(_ bit: UInt64, _ targets: TabTargets) -> Search {
        var known: Set<Search.Place> = []
        return WordSearch(in: self) { head, relation, lower in
            var below = lower?.below ?? []
            if relation == .replace {
                below.remove(.onStack)
            } else if let lower {
                if takes(of: lower.head) & bit != 0 { below.insert(.onStack) }
                if relation == .present, !below.isDisjoint(with: [.onStack, .inLayers]) {
                    below.insert(.inLayers)
                    below.remove(.onStack)
                }
            }
            return targets.blocked[Int(head)] & bit != 0 ? below.union(.onTabs) : below
        } isNew: {
            known.insert($0.place).inserted
        }
    }

    /// Performs the segue in the first window of a place. If there may be a target on another tab,
    /// also in windows in which this tab shows the target.
    private mutating func tryUnwinding(
        _ key: String, _ action: Action, _ end: Search.Node, _ search: Search, _ bit: UInt64,
        _ targets: TabTargets
    ) {
        let head = end.place.head
        let path = search.path(to: end, in: self)
        if tryUnwinding(key, action, head, after: path) { return }
        guard end.place.below.contains(.onTabs) else { return }
        unsureSegues.insert(key)
        var steps: [Action] = []
        var node = end
        while true {
            let value = heads.all[Int(node.place.head)]
            if value.isFirst, targets.blocked[Int(node.place.head)] & bit != 0 {
                for taker in targets.takers(of: bit, besides: value).prefix(8) {
                    guard let start = window(after: self.path(to: taker)),
                        let tab = start.taps(in: app).first(where: {
                            $0.place == .tab && $0.index == Int(value.tab)
                        })
                    else { continue }
                    let detour = self.path(to: taker) + [.tap(tab)] + steps
                    if tryUnwinding(key, action, head, after: detour) { return }
                }
            }
            guard node.parent >= 0 else { return }
            steps = search.actions(to: node, in: self) + steps
            node = search.nodes[Int(node.parent)]
        }
    }

    @discardableResult
    private mutating func tryUnwinding(
        _ key: String?, _ action: Action, _ head: Int32, after path: [Action]
    ) -> Bool {
        defer { makeRoom() }
        let mark = heads.all[Int(head)].mark
        guard !isCut else { return false }
        repeated += path.count
        guard let window = window(after: path), heads.head(of: window, mark: mark) == head,
            let after = try? perform(action, on: window), after.revision != window.revision
        else { return false }
        let use = Use(source: head, action: action, path: path)
        if let key {
            firstOfSegue[key] = use
            unsureSegues.remove(key)
        }
        reachByPop(after, use, mark: mark)
        return true
    }

    /// Performs the actions that a limit of the window prevented, in windows with fewer layers.
    /// - Returns: whether an action led to a new head.
    mutating func presentInLowerLayers() -> Bool {
        guard !limited.isEmpty else { return false }
        let reached = order.count
        let (search, lowest) = windowsWithRoom()
        let tried = limited
        limited = []
        defer { makeRoom() }
        for (head, action) in tried {
            let mark = heads.all[Int(head)].mark
            guard let node = lowest[head],
                case let path = search.path(to: node, in: self), let window = window(after: path),
                heads.head(of: window, mark: mark) == head,
                let after = try? perform(action, on: window)
            else {
                limited.append((head, action))
                continue
            }
            let use = Use(source: head, action: action, path: path)
            if let segue = action.segue {
                noteUse(use, ofSegue: "\(window.topViewController.scene.name).\(segue)")
            }
            noteSelection(use, in: window.topViewController.scene)
            show(after, use, from: window)
        }
        return order.count > reached
    }

    /// Returns for each head a window with less than the maximum number of layers. The findings leave
    /// the maximum out of account, because what follows from it is no defect of the app.
    private func windowsWithRoom() -> (
        search: WordSearch<Int>, lowest: [Int32: WordSearch<Int>.Node]
    ) {
        var known: Set<WordSearch<Int>.Place> = []
        var lowest: [Int32: WordSearch<Int>.Node] = [:]
        let search = WordSearch<Int>(in: self) { _, relation, lower in
            (lower?.below ?? 0) + (relation == .present ? 1 : 0)
        } isNew: { node in
            let (head, layers) = (node.place.head, node.place.below)
            guard layers <= Layer.maximum, known.insert(node.place).inserted else { return false }
            if layers < min(Layer.maximum, lowest[head]?.place.below ?? .max) {
                lowest[head] = node
            }
            return true
        }
        return (search, lowest)
    }
}
