import JSON
import NavigationRules

/// A state of a recorded session in which a flow (a scripted test) can begin, because a new session
/// can reach the same state. The two states may differ in the revision, in the numbers of lifecycle
/// events, and in the numbers within ids such as `vc7`.
struct FlowStart: Sendable {
    let lifecycle: LifecycleOrder
    let isStrict: Bool
    /// The flags whose values differ from the storyboard's.
    let flags: [String: Bool]
    /// The log-in or the sign-up that leads a new session to the state; nil if none is needed.
    let logIn: LogIn?
    /// The link that a new session opens after the launch and the log-in; nil if it opens none.
    let open: Operation?
    /// The number to add to the number in a view controller's id, to get the view controller's
    /// number in the new session. `navigationControllerOffset` is the same for navigation
    /// controllers.
    private let viewControllerOffset: Int
    private let navigationControllerOffset: Int

    /// Compares a window of the recorded session with the window of a new session, and with that of a
    /// new session that has opened the link which leads to the recorded window, or which waits there
    /// for the log-in.
    /// - Returns: nil if no new session can reach the state of `window`.
    init?(_ window: Window, _ app: App) {
        if let start = FlowStart(window, app, opening: nil) {
            self = start
            return
        }
        guard let link = Self.link(to: window, in: app),
            let start = FlowStart(window, app, opening: link)
        else { return nil }
        self = start
    }

    /// Returns the operation that opens the link of a window, or the one that waits for the log-in.
    private static func link(to window: Window, in app: App) -> Operation? {
        if let pending = window.pending, pending.link != nil { return pending.operation }
        if let link = window.link(in: app) { return Operation(Open(.path(link))) }
        let top = window.topViewController
        guard top.scene === app.storyboard.notFound else { return nil }
        let text = top.parameters[LinkSettings.notFoundParameter] ?? app.storyboard.unknownLink
        return Operation(Open(Link(reference: text)))
    }

    /// Compares a window of the recorded session with the window of a new session. If a user is
    /// logged in to the recorded session, the same user logs in to the new session before it opens
    /// the link.
    private init?(_ window: Window, _ app: App, opening link: Operation?) {
        open = link
        lifecycle = window.lifecycle
        isStrict = window.isStrict
        let first = app.storyboard.flags
        flags =
            window.flags == first ? [:] : window.flags.values.filter { first[$0.key] != $0.value }
        guard
            var new = try? Window.launch(
                app, opening: nil, flags: flags, lifecycle: window.lifecycle,
                isStrict: window.isStrict
            ).window
        else { return nil }
        if let name = window.auth.username {
            // The first form of a strict session may submit only a log-in.
            let ways = [LogIn(username: name, isSignUp: true), LogIn(username: name)]
            logIn = ways.first { way in
                (try? new.perform(Operation(way), animated: false, in: app)) != nil
            }
            guard logIn != nil else { return nil }
        } else {
            logIn = nil
        }
        if let link {
            let opened = try? new.perform(link, animated: nil, in: app)
            guard opened != nil else { return nil }
        }
        let start = new.stored
        var old = window.stored
        viewControllerOffset = start.lastViewController - old.lastViewController
        navigationControllerOffset = start.lastNavigationController - old.lastNavigationController
        old.renumber(
            viewControllers: viewControllerOffset,
            navigationControllers: navigationControllerOffset)
        // The two states may differ in these.
        (old.revision, old.lastEvent) = (start.revision, start.lastEvent)
        guard old == start else { return nil }
    }

    /// Returns the JSON of a recorded operation with the texts by which a flow file names view
    /// controllers and navigation controllers in place of their ids.
    ///
    /// A view controller in the window has a name from its scene, such as `@book#2` for the second
    /// view controller of the scene `book`. A scene whose own name contains `#` gives no name, and a
    /// name that could also stand for such a scene is not used. A navigation controller has the name
    /// of the first named view controller on its stack. All other controllers have the ids that they
    /// get in the new session.
    /// - Parameter window: the window before the operation.
    func naming(_ value: JSONValue, in window: Window) -> JSONValue {
        var labels = Labels(window)
        return naming(value, &labels)
    }

    private func naming(_ value: JSONValue, _ labels: inout Labels) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map { naming($0, &labels) })
        case .object(let object):
            .object(
                JSONObject(
                    members: object.members.map { member in
                        JSONObject.Member(name: member.name, value: naming(member, &labels))
                    }))
        default: value
        }
    }

    private func naming(_ member: JSONObject.Member, _ labels: inout Labels) -> JSONValue {
        switch member.name {
        case "viewController", "from":
            guard let id = member.value.text.flatMap({ ViewController.ID($0) }) else { break }
            let new = ViewController.ID(number: id.number + viewControllerOffset)
            return .string(labels.viewControllers[id] ?? new.description)
        case "navigationController":
            guard let id = member.value.text.flatMap({ NavigationController.ID($0) }) else { break }
            let new = NavigationController.ID(number: id.number + navigationControllerOffset)
            return .string(labels.label(of: id) ?? new.description)
        // The names of parameters are the app's own.
        case "parameters": return member.value
        default: break
        }
        return naming(member.value, &labels)
    }
}

/// The labels of the view controllers in a window, such as `@book#2`.
private struct Labels {
    private let stacks: [NavigationController]
    /// The label of each view controller on a stack that has one, made at the first use.
    private(set) lazy var viewControllers: [ViewController.ID: String] = {
        var labels: [ViewController.ID: String] = [:]
        var counts: [Scene.Name: Int] = [:]
        let viewControllers = stacks.flatMap(\.stack.viewControllers)
        let names = Set(viewControllers.map(\.scene.name))
        for viewController in viewControllers {
            let scene = viewController.scene.name
            // Readers of the flow would take a `#` in the name for the start of a count.
            if scene.contains("#") { continue }
            let count = counts[scene, default: 0] + 1
            counts[scene] = count
            let label = count == 1 ? scene : "\(scene)#\(count)"
            if count == 1 || !names.contains(label) { labels[viewController.id] = "@\(label)" }
        }
        return labels
    }()

    init(_ window: Window) { stacks = window.layers.flatMap(\.navigationControllers) }

    /// Returns the label of the first labelled view controller on the stack of a navigation
    /// controller; nil if there is none.
    mutating func label(of id: NavigationController.ID) -> String? {
        let stack = stacks.first { $0.id == id }?.stack.viewControllers
        return stack?.lazy.compactMap { [viewControllers] in viewControllers[$0.id] }.first
    }
}

extension StoredWindow {
    /// Adds one offset to the numbers of all view controllers, and another to those of all
    /// navigation controllers.
    fileprivate mutating func renumber(
        viewControllers offset: Int, navigationControllers holderOffset: Int
    ) {
        func renumber(_ entries: inout [Entry]) {
            for index in entries.indices { entries[index].number += offset }
        }
        renumber(&stack)
        layers = layers?.map { layer in
            var layer = layer
            layer.presenter = layer.presenter.map { $0 + offset }
            for index in layer.stacks.indices {
                layer.stacks[index].number += holderOffset
                renumber(&layer.stacks[index].stack)
            }
            return layer
        }
        // The number refers to the only navigation controller. A window that is stored with `layers`
        // has the constant 1 here.
        if layers == nil { navigationController += holderOffset }
        lastNavigationController += holderOffset
        lastViewController += offset
        if var roots = segments {
            roots.roots = roots.roots.map { $0.map { $0 + offset } }
            renumber(&roots.kept)
            segments = roots
        }
        pending = pending.map { pending in
            PendingAction(
                viewController: pending.viewController.map {
                    ViewController.ID(number: $0.number + offset)
                }, pending.operation, animated: pending.animated)
        }
    }
}
