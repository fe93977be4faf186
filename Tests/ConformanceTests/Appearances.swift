import JSON

/// The appearance of each view controller of a session, as the lifecycle log tells it.
struct Appearances {
    private(set) var loaded: Set<String> = []
    /// The last of the four appearance events of each view controller.
    private var phases: [String: String] = [:]

    /// The events after which each event of appearance can come.
    private var before = Self.before

    private static let before: [String: Set<String>] = [
        "viewWillAppear": ["viewDidDisappear"], "viewDidAppear": ["viewWillAppear"],
        "viewWillDisappear": ["viewDidAppear"], "viewDidDisappear": ["viewWillDisappear"],
    ]
    /// In a cancelled swipe, the view controller below the top begins to appear and disappears
    /// again, and the top does the reverse.
    private static let beforeInSwipe = before.merging(
        [
            "viewWillAppear": ["viewDidDisappear", "viewWillDisappear"],
            "viewWillDisappear": ["viewDidAppear", "viewWillAppear"],
        ]) { $1 }
    static let delegateCallbacks: Set = [
        "willShow", "didShow", "presentationControllerShouldDismiss",
        "presentationControllerWillDismiss", "presentationControllerDidDismiss", "shouldSelect",
        "didSelect",
    ]

    var onScreen: Set<String> { Set(phases.filter { $0.value == "viewDidAppear" }.keys) }

    /// Follows the events of one change.
    /// - Parameter cancelsSwipe: whether the change is a swipe that the user cancels.
    /// - Returns: the first event that its view controller cannot have now; nil if there is none.
    mutating func follow(_ events: [JSONValue], cancelsSwipe: Bool) -> String? {
        before = cancelsSwipe ? Self.beforeInSwipe : Self.before
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
        case "viewIsAppearing": return last == "viewWillAppear"
        default:
            guard let allowed = before[event] else {
                return Self.delegateCallbacks.contains(event)
            }
            guard allowed.contains(last ?? "viewDidDisappear") else { return false }
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

    /// The events of a cancelled swipe, in no order.
    func expectedOfCancelledSwipe(in stack: [String]) -> [String] {
        let (top, below) = (stack[stack.count - 1], stack[stack.count - 2])
        return ["viewWillDisappear \(top)", "viewWillAppear \(top)", "viewDidAppear \(top)"]
            + ["viewWillAppear", "willShow", "viewWillDisappear", "viewDidDisappear"]
            .map { "\($0) \(below)" }
            + (loaded.contains(below) ? [] : ["viewDidLoad \(below)"])
    }
}
