import NavigationRules

/// Follows the callbacks of all view controllers to know which are loaded and which are visible.
struct Visibility {
    private enum Phase { case appearing, visible, disappearing }

    private(set) var loaded: Set<ViewController.ID> = []
    private(set) var lastEvent = 0
    private var phases: [ViewController.ID: Phase] = [:]
    private var showing: Set<ViewController.ID> = []
    /// The view controllers of a cancelled swipe: the one below the top, and the top.
    private var cancelled: ViewController.ID?
    private var interrupted: ViewController.ID?

    /// Processes the events of one transition.
    /// - Parameters:
    ///   - onScreen: what is on screen after the transition.
    ///   - bare: those of them that are in no navigation controller.
    /// - Throws: the first rule that the events violate.
    mutating func take(
        _ events: [LifecycleEvent], order: LifecycleOrder, onScreen: Set<ViewController.ID>,
        bare: Set<ViewController.ID>, isOneStack: Bool
    ) throws(RandomRun.Violation) {
        let before = visible
        cancelled = Self.viewController(in: events, with: Self.cancelledKinds)
        interrupted = Self.viewController(in: events, with: Self.interruptedKinds)
        for event in events {
            guard event.seq == lastEvent + 1 else {
                throw .init(description: "event \(event.seq) after \(lastEvent)")
            }
            lastEvent = event.seq
            guard take(event) else {
                throw .init(description: "\(event.kind) of \(event.viewController) out of order")
            }
        }
        // UIKit announces the view controller below the top, and never takes this back.
        if let cancelled { showing.remove(cancelled) }
        guard (cancelled == nil) == (interrupted == nil) else {
            throw .init(description: "half of a cancelled swipe: \(events.map(\.kind))")
        }
        guard visible == onScreen, phases.count == onScreen.count, showing.isEmpty else {
            throw .init(description: "visible are \(phases), on screen \(onScreen)")
        }
        guard events.isEmpty == (before == onScreen && cancelled == nil) else {
            throw .init(description: "\(events.count) events from \(before) to \(onScreen)")
        }
        let shown = Set(events.filter { $0.kind == .willShow }.map(\.viewController))
            .subtracting(cancelled.map { [$0] } ?? [])
        guard shown == onScreen.subtracting(before).subtracting(bare) else {
            throw .init(description: "the delegate is told of \(shown), bare are \(bare)")
        }
        if isOneStack, cancelled == nil { try checkOrder(events, order) }
    }

    // A cancelled swipe has two view controllers with these events, in this order.
    private static let cancelledKinds: [LifecycleEvent.Kind] = [
        .viewWillAppear, .viewWillDisappear, .viewDidDisappear,
    ]
    private static let interruptedKinds: [LifecycleEvent.Kind] = [
        .viewWillDisappear, .viewWillAppear, .viewDidAppear,
    ]

    /// Returns the view controller that has exactly these events of appearance.
    private static func viewController(
        in events: [LifecycleEvent], with kinds: [LifecycleEvent.Kind]
    ) -> ViewController.ID? {
        let appearance = events.filter {
            cancelledKinds.contains($0.kind) || interruptedKinds.contains($0.kind)
        }
        return Dictionary(grouping: appearance, by: \.viewController)
            .first { $0.value.map(\.kind) == kinds }?.key
    }

    private var visible: Set<ViewController.ID> {
        Set(phases.filter { $0.value == .visible }.keys)
    }

    /// Forgets all view controllers, because none is loaded or visible after a restart.
    mutating func restart() {
        loaded = []
        phases = [:]
        showing = []
    }

    private mutating func take(_ event: LifecycleEvent) -> Bool {
        let id = event.viewController
        switch event.kind {
        case .viewDidLoad:
            return loaded.insert(id).inserted
        case .viewWillAppear:
            defer { phases[id] = .appearing }
            return loaded.contains(id)
                && (phases[id] == nil || id == interrupted && phases[id] == .disappearing)
        case .viewDidAppear:
            defer { phases[id] = .visible }
            return phases[id] == .appearing
        case .viewWillDisappear:
            defer { phases[id] = .disappearing }
            return phases[id] == .visible || id == cancelled && phases[id] == .appearing
        case .viewDidDisappear:
            defer { phases[id] = nil }
            return phases[id] == .disappearing
        case .willShow:
            return showing.insert(id).inserted
        case .didShow:
            return showing.remove(id) != nil
        case .viewIsAppearing:
            return phases[id] == .appearing
        case .presentationControllerShouldDismiss, .presentationControllerWillDismiss,
            .presentationControllerDidDismiss, .shouldSelect, .didSelect:
            return true
        }
    }

    /// Checks that the delegate's callbacks come before the view controller's in the forwarded
    /// order, and after them in the native order.
    private func checkOrder(
        _ events: [LifecycleEvent], _ order: LifecycleOrder
    ) throws(RandomRun.Violation) {
        guard let willShow = events.firstIndex(where: { $0.kind == .willShow }),
            let willAppear = events.firstIndex(where: { $0.kind == .viewWillAppear }),
            let didShow = events.firstIndex(where: { $0.kind == .didShow }),
            let didAppear = events.firstIndex(where: { $0.kind == .viewDidAppear })
        else {
            if events.isEmpty { return }
            throw .init(description: "a transition without its callbacks: \(events)")
        }
        let isForwarded = order == .forwarded
        guard (willShow < willAppear) == isForwarded, (didShow < didAppear) == isForwarded else {
            throw .init(description: "not the order \(order): \(events.map(\.kind))")
        }
    }
}
