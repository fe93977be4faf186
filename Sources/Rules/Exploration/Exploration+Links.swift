import NavigationRules

/// The deep links that the exploration opens.
extension Exploration {
    /// Opens a link, unless it shows the same heads as from another head. A window with layers that
    /// no link keeps is left out: the link shows the same as without these layers.
    mutating func open(_ index: Int, from head: Int32, _ window: Window) {
        let link = heads.links[index]
        guard (link.scene.access == .login) == (window.root == .login) else { return }
        let value = heads.all[Int(head)]
        let layer = heads.layers[Int(value.layer)]
        guard layer.isRoot || layer.kept != nil else { return }
        let staysInRoot = link.parts[0].isEmpty && layer.isRoot
        guard
            opened.insert(
                OpenedLink(
                    link: index, layer: value.layer, tab: value.tab,
                    bareContent: layer.isRoot && value.isBare ? value.content : -1,
                    head: staysInRoot ? head : -1)
            ).inserted
        else { return }
        count += 1
        let use = Use(source: head, action: .open(link.link))
        let after: Window
        do throws(NavigationError) {
            after = try perform(use.action, on: window)
        } catch {
            return noteRefusal(use, of: link, error)
        }
        noteUse(use, of: link, showing: after.topViewController.scene)
        let target = reach(after, from: head, by: use.action, mark: link.mark)
        if link.mark != 0 { hidden.append((after, use, link.mark)) }
        noteBacks(in: after, use)
        if staysInRoot {
            let letters = heads.letters(of: after, from: 1, mark: link.mark)
            chains.append(letters)
            moves[Int(head)].append(
                Move(
                    kind: .chain, action: use.action, isGesture: false, target: target,
                    detail: Int32(chains.count - 1)))
            makeRoom()
        } else {
            addJump(path(through: use), after, mark: link.mark)
        }
    }

    /// Leaves the layers that a link has put above others without a pop: by another link, which
    /// stays in the lowest layer or selects another tab. What the first link put into the lowest
    /// layer can then become visible.
    mutating func leaveLayers(_ window: Window, _ use: Use, mark: Int16) {
        guard window.layers.count > 1 else { return }
        let tab = window.layers[0].selectedIndex
        for link in heads.links {
            let leaving = Action.open(link.link)
            guard let other = try? perform(leaving, on: window) else { continue }
            let path = path(through: use)
            if link.parts[0].isEmpty {
                reachByPop(
                    other, Use(source: use.source, action: leaving, path: path), mark: mark)
            }
            guard other.layers[0].selectedIndex != tab,
                let tap = other.taps(in: app).first(where: { $0.place == .tab && $0.index == tab }),
                let after = try? perform(.tap(tap), on: other)
            else { continue }
            reachByPop(
                after, Use(source: use.source, action: .tap(tap), path: path + [leaving]),
                mark: mark)
        }
    }

    /// Adds a move to each part of a presented link that a pop has shown, in front of all heads
    /// that can open the link.
    mutating func addShownParts() {
        for head in order {
            for move in moves[Int(head)]
            where move.kind == .chain && move.rest.isEmpty && heads.all[Int(move.target)].mark != 0
            {
                let letters = chains[Int(move.detail)]
                for count in 1..<letters.count where visits[Int(letters[count - 1])] != nil {
                    let path = path(to: letters[count - 1])
                    let start = path.lastIndex { $0.link == move.action.link }
                    guard let start, shownParts.insert([head, letters[count - 1]]).inserted else {
                        continue
                    }
                    chains.append(Array(letters.prefix(count)))
                    moves[Int(head)].append(
                        Move(
                            kind: .chain, action: move.action, isGesture: false,
                            target: letters[count - 1], detail: Int32(chains.count - 1),
                            rest: Array(path[(start + 1)...])))
                }
            }
        }
    }
}
