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

    private struct Place: Hashable {
        let head: Int32
        let below: Below
    }

    private struct Search {
        let bit: UInt64
        /// The place before, and the actions since then or since the launch.
        var parents: [Place: (place: Place?, actions: [Action])] = [:]
        var order: [Place] = []
    }

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
                for place in search.order where place.below == .onTabs {
                    for move in moves[Int(place.head)]
                    where move.kind == .unwind && move.detail == number {
                        tryUnwinding(nil, move.action, place.head, after: path(to: place, search))
                    }
                }
            }
            for place in search.order {
                for (key, action) in segues[place.head] ?? []
                where firstOfSegue[key] == nil && !place.below.isEmpty {
                    tryUnwinding(key, action, place, search, targets)
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
        var search = Search(bit: bit)
        func reach(_ place: Place, _ parent: Place?, _ actions: [Action]) {
            guard search.parents[place] == nil else { return }
            search.parents[place] = (parent, actions)
            search.order.append(place)
        }
        for jump in jumps {
            var place: Place?
            for head in jump.letters {
                place = self.place(head, on: place, heads.all[Int(head)].isFirst, bit, targets)
            }
            if let place { reach(place, nil, jump.path) }
        }
        var next = 0
        while next < search.order.count {
            let place = search.order[next]
            next += 1
            for move in moves[Int(place.head)] {
                let target: Place
                switch move.kind {
                case .push: target = self.place(move.target, on: place, false, bit, targets)
                case .present: target = self.place(move.target, on: place, true, bit, targets)
                case .replace:
                    let below = place.below.subtracting(.onStack)
                    target = self.place(move.target, below, bit, targets)
                case .chain:
                    target = chains[Int(move.detail)].reduce(place) { place, head in
                        self.place(head, on: place, heads.all[Int(head)].isFirst, bit, targets)
                    }
                case .back, .swipe, .popToRoot, .unwind: continue
                }
                reach(target, place, move.actions)
            }
        }
        return search
    }

    /// Returns the place of a head that is shown on another one.
    private func place(
        _ head: Int32, on lower: Place?, _ isFirst: Bool, _ bit: UInt64, _ targets: TabTargets
    ) -> Place {
        var below: Below = []
        if let lower {
            below = lower.below
            if takes(of: lower.head) & bit != 0 { below.insert(.onStack) }
            if isFirst, !below.isDisjoint(with: [.onStack, .inLayers]) {
                below.insert(.inLayers)
                below.remove(.onStack)
            }
        }
        return place(head, below, bit, targets)
    }

    private func place(
        _ head: Int32, _ below: Below, _ bit: UInt64, _ targets: TabTargets
    ) -> Place {
        let isOnTabs = targets.blocked[Int(head)] & bit != 0
        return Place(head: head, below: isOnTabs ? below.union(.onTabs) : below)
    }

    private func path(to place: Place, _ search: Search) -> [Action] {
        var path: [Action] = []
        var place = place
        while let step = search.parents[place] {
            path += step.actions.reversed()
            guard let parent = step.place else { break }
            place = parent
        }
        return path.reversed()
    }

    /// Performs the segue in the first window of a place. If there may be a target on another tab,
    /// also in windows in which this tab shows the target.
    private mutating func tryUnwinding(
        _ key: String, _ action: Action, _ place: Place, _ search: Search, _ targets: TabTargets
    ) {
        if tryUnwinding(key, action, place.head, after: path(to: place, search)) { return }
        guard place.below.contains(.onTabs) else { return }
        unsureSegues.insert(key)
        var steps: [Action] = []
        var current = place
        while let step = search.parents[current] {
            let value = heads.all[Int(current.head)]
            if value.isFirst, targets.blocked[Int(current.head)] & search.bit != 0 {
                for taker in targets.takers(of: search.bit, besides: value).prefix(8) {
                    guard let start = window(after: path(to: taker)),
                        let tab = start.taps(in: app).first(where: {
                            $0.place == .tab && $0.index == Int(value.tab)
                        })
                    else { continue }
                    let detour = path(to: taker) + [.tap(tab)] + steps.reversed()
                    if tryUnwinding(key, action, place.head, after: detour) { return }
                }
            }
            guard let parent = step.place else { return }
            steps += step.actions.reversed()
            current = parent
        }
    }

    @discardableResult
    private mutating func tryUnwinding(
        _ key: String?, _ action: Action, _ head: Int32, after path: [Action]
    ) -> Bool {
        defer { makeRoom() }
        let mark = heads.all[Int(head)].mark
        guard !isCut else { return false }
        replayed += path.count
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

    /// Performs the presentations that the maximum number of layers prevented, in windows with
    /// fewer layers.
    /// - Returns: whether a presentation led to a new head.
    mutating func presentInLowerLayers() -> Bool {
        guard !limited.isEmpty else { return false }
        let reached = order.count
        let limit = LayerLimit(self)
        let tried = limited
        limited = []
        defer { makeRoom() }
        for (head, action, isGesture) in tried {
            let mark = heads.all[Int(head)].mark
            guard let path = limit.shortestPath(to: head),
                let window = window(after: path), heads.head(of: window, mark: mark) == head,
                let after = try? perform(action, on: window)
            else {
                limited.append((head, action, isGesture))
                continue
            }
            let target = reach(after, from: nil, by: nil, path: path + [action], mark: mark)
            moves[Int(head)].append(
                Move(kind: .present, action: action, isGesture: isGesture, target: target))
        }
        return order.count > reached
    }
}
