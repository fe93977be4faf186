import JSON
import NavigationRules

// The stored form of a change's effect on a window, with the short names of the window's own form.

extension JSONWriter {
    mutating func effect(_ effect: WindowEffect) {
        object { json in
            switch effect.content {
            case .stacks(let stacks):
                if !stacks.isEmpty { json.array("stacks", stacks) { $0.stack($1) } }
            case .layers(let layers):
                json.array("layers", layers) { json, layer in
                    json.layer(layer, "stacks") { $0.stack($1) }
                }
            }
            switch effect.auth {
            case .loggedIn(let username)?: json.member("user", username)
            case .loggedOut?: json.member("loggedOut", true)
            case .guest?: json.member("guest", true)
            case nil: break
            }
            if let segments = effect.segments {
                json.name("segments")
                if let segments { json.object { $0.segments(segments) } } else { json.null() }
            }
            if let pending = effect.pending {
                if let pending { json.pending(pending) } else { json.member("link", nil) }
            }
            if !effect.flags.isEmpty { json.flags(effect.flags) }
            if let number = effect.lastNavigationController { json.member("lastNC", number) }
            if let number = effect.lastViewController { json.member("vc", number) }
        }
    }

    private mutating func stack(_ stack: WindowEffect.Stack) {
        object { json in
            json.member("n", stack.number)
            if stack.isBare { json.member("bare", true) }
            json.member("keep", stack.kept)
            if !stack.added.isEmpty { json.array("add", stack.added) { $0.entry($1) } }
            if stack.keptAbove > 0 { json.member("above", stack.keptAbove) }
        }
    }
}

extension WindowEffect {
    /// Decodes an effect.
    /// - Parameter lastEvent: the number of the last event of the change; nil if it has none.
    /// - Returns: nil if `json` is not in the format of `JSONWriter.effect`.
    init?(_ json: JSONValue, lastEvent: Int?) {
        let content: Content
        if let layers = json["layers"] {
            guard let layers = layers.all({ Layer($0, "stacks", Stack.init) }) else { return nil }
            content = .layers(layers)
        } else {
            guard let stacks = (json["stacks"] ?? .array([])).all(Stack.init) else { return nil }
            content = .stacks(stacks)
        }
        var auth: Auth?
        if let user = json["user"] { auth = .loggedIn(username: user.text) }
        if json["loggedOut"] != nil { auth = .loggedOut }
        if json["guest"] != nil { auth = .guest }
        var segments: StoredWindow.SegmentRoots??
        if let value = json["segments"] {
            let found = StoredWindow.SegmentRoots(value)
            guard found != nil || value == .null else { return nil }
            segments = .some(found)
        }
        guard let flags = [String: Bool](storedFlags: json["flags"]) else { return nil }
        var pending: PendingAction??
        if json["link"] != nil || json["pending"] != nil {
            guard let found = json.pendingAction() else { return nil }
            pending = .some(found)
        }
        self.init(
            content: content, auth: auth, segments: segments, pending: pending, flags: flags,
            lastNavigationController: json["lastNC"]?.storedNumber,
            lastViewController: json["vc"]?.storedNumber, lastEvent: lastEvent)
    }
}

extension WindowEffect.Stack {
    fileprivate init?(_ json: JSONValue) {
        guard let number = json["n"]?.storedNumber, let kept = json["keep"]?.storedNumber,
            let added = (json["add"] ?? .array([])).all(StoredWindow.Entry.init),
            let keptAbove = json["above"].map(\.storedNumber) ?? 0
        else { return nil }
        self.init(
            number: number, isBare: json["bare"]?.flag ?? false, kept: kept, added: added,
            keptAbove: keptAbove)
    }
}
