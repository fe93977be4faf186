import JSON

/// The appearance of each view controller of a session, as the lifecycle log tells it.
struct Appearances {
    private(set) var loaded: Set<String> = []
    /// The last of the four appearance events of each view controller.
    private var phases: [String: String] = [:]

    var onScreen: Set<String> { Set(phases.filter { $0.value == "viewDidAppear" }.keys) }

    /// Follows the events of one change.
    /// - Returns: the first event that its view controller cannot have now; nil if there is none.
    mutating func follow(_ events: [JSONValue]) -> String? {
        for event in events {
            let (name, id) = (event["event"]?.text ?? "", event["viewController"]?.text ?? "")
            guard follow(name, of: id) else { return "\(name) of \(id) out of order" }
        }
        return nil
    }

    private mutating func follow(_ event: String, of id: String) -> Bool {
        let last = phases[id]
        switch event {
        case "viewDidLoad": return loaded.insert(id).inserted
        case "viewWillAppear": guard last == nil || last == "viewDidDisappear" else { return false }
        case "viewDidAppear": guard last == "viewWillAppear" else { return false }
        case "viewWillDisappear": guard last == "viewDidAppear" else { return false }
        case "viewDidDisappear": guard last == "viewWillDisappear" else { return false }
        default: return event == "willShow" || event == "didShow"
        }
        phases[id] = event
        return loaded.contains(id)
    }

    /// Forgets all view controllers: a fresh root after a restart announces no disappearance.
    mutating func restart() { self = Appearances() }

    /// The events that a change from one screen to another has, in no order.
    func expected(from old: LayerList?, to new: LayerList) -> [String] {
        let before = old?.onScreen ?? []
        let gone = before.subtracting(new.onScreen)
        let come = new.onScreen.subtracting(before)
        return gone.flatMap { ["viewWillDisappear \($0)", "viewDidDisappear \($0)"] }
            + come.flatMap { ["viewWillAppear \($0)", "viewDidAppear \($0)"] }
            + come.subtracting(new.bare).flatMap { ["willShow \($0)", "didShow \($0)"] }
            + come.subtracting(loaded).map { "viewDidLoad \($0)" }
    }
}
