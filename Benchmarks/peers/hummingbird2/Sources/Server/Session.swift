import Crypto
import Foundation
import Hummingbird

/// One user's stack of view controllers.
actor Session {
    private static let lifetime: TimeInterval = 30 * 24 * 3600

    nonisolated let id: String
    nonisolated let tokenHash: SHA256.Digest
    private let createdAt = Date()
    private var expiresAt = Date() + lifetime
    private var revision = 1
    private var lastID = 1
    private var lastEvent = 5
    private var viewControllers = [ViewController(id: "vc1", scene: Scene.all["authors"]!)]

    init(id: String, tokenHash: SHA256.Digest) {
        self.id = id
        self.tokenHash = tokenHash
    }

    func push(_ name: String, animated: Bool) throws -> Change {
        guard let scene = Scene.all[name] else {
            throw HTTPError(.notFound, message: "no scene \(name)")
        }
        let old = viewControllers[viewControllers.count - 1]
        lastID += 1
        let new = ViewController(id: "vc\(lastID)", scene: scene)
        viewControllers.append(new)
        return commit(.push, popped: [], shown: new, left: old, animated: animated)
    }

    func pop(animated: Bool) -> Change {
        guard viewControllers.count > 1 else {
            return Change(
                changed: false, transition: .none, popped: [], events: [], session: description)
        }
        let old = viewControllers.removeLast()
        let new = viewControllers[viewControllers.count - 1]
        return commit(.pop, popped: [old], shown: new, left: old, animated: animated)
    }

    private func commit(
        _ transition: Transition, popped: [ViewController], shown: ViewController,
        left: ViewController, animated: Bool
    ) -> Change {
        revision += 1
        expiresAt = Date() + Self.lifetime
        var events: [LifecycleEvent] = []
        events.reserveCapacity(7)
        func add(_ event: String, _ viewController: ViewController) {
            lastEvent += 1
            events.append(
                LifecycleEvent(
                    seq: lastEvent, revision: revision, event: event,
                    viewController: viewController.id, scene: viewController.scene,
                    animated: animated))
        }
        if transition == .push { add("viewDidLoad", shown) }
        add("willShow", shown)
        add("viewWillDisappear", left)
        add("viewWillAppear", shown)
        add("didShow", shown)
        add("viewDidDisappear", left)
        add("viewDidAppear", shown)
        return Change(
            changed: true, transition: transition, popped: popped, events: events,
            session: description)
    }

    var description: SessionDescription {
        let top = viewControllers[viewControllers.count - 1]
        let scene = Scene.all[top.scene]!
        return SessionDescription(
            id: id, revision: revision, createdAt: createdAt, expiresAt: expiresAt,
            viewControllers: viewControllers, navigationBar: navigationBar,
            bottomBar: BottomBar(text: scene.bottomBar, isHidden: top.hidesBottomBarWhenPushed),
            screen: Screen(kind: scene.kind, numberOfRows: scene.rows), link: scene.link)
    }

    private var navigationBar: NavigationBar {
        let top = viewControllers[viewControllers.count - 1]
        let item = top.navigationItem
        var backButton: Titled?
        if viewControllers.count > 1, !item.hidesBackButton,
            item.leftItems.isEmpty || item.leftItemsSupplementBackButton
        {
            let below = viewControllers[viewControllers.count - 2]
            let title =
                below.navigationItem.backButtonTitle ?? below.navigationItem.title ?? below.title
            backButton = Titled(title: title.isEmpty ? "Back" : title)
        }
        let isSegmentRoot = viewControllers.count == 1 && Scene.all[top.scene]!.isSegment
        return NavigationBar(
            title: item.title ?? top.title, titleView: isSegmentRoot ? "segmentedControl" : nil,
            backButton: backButton, leftItems: item.leftItems, rightItems: item.rightItems)
    }
}
