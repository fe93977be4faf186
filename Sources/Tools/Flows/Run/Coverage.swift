import NavigationRules
import Synchronization
import WaypostAPI

/// Records which parts of a storyboard flows (scripted tests) have used. All methods are
/// thread-safe.
package final class Coverage: Sendable {
    /// A part of a storyboard that a flow can use, such as a scene or a segue.
    package struct Part: Sendable, Hashable, Comparable, CustomStringConvertible {
        package enum Kind: String, Sendable, CaseIterable {
            case root, scene, tab, segue, select, link
        }

        package let kind: Kind
        package let name: String

        package var description: String { "\(kind.rawValue) \(name)" }

        package static func < (one: Part, other: Part) -> Bool {
            (one.kind.rawValue, one.name) < (other.kind.rawValue, other.name)
        }
    }

    /// The name of the storyboard.
    package let app: String
    /// The entity tag of the storyboard, which differs for each other storyboard.
    package let entityTag: String
    package let all: Set<Part>
    private let state = Mutex<Set<Part>>([])

    package var used: Set<Part> { state.withLock { $0 }.intersection(all) }
    package var unused: [Part] { all.subtracting(used).sorted() }
    package var percent: Double {
        all.isEmpty ? 100 : 100 * Double(used.count) / Double(all.count)
    }

    package init(_ storyboard: Storyboard) {
        app = storyboard.name
        entityTag = storyboard.entityTag.description
        var all: Set<Part> = [Part(kind: .root, name: "app")]
        // Guests never see the login root.
        if storyboard.loginScene != nil, !storyboard.hasGuests {
            all.insert(Part(kind: .root, name: "login"))
        }
        for scene in storyboard.scenes.values {
            if scene.kind == .tabBar {
                for index in scene.tabs.indices {
                    all.insert(Part(kind: .tab, name: "\(scene.name).\(index)"))
                }
            }
            guard !scene.kind.isContainer else { continue }
            all.insert(Part(kind: .scene, name: scene.name))
            for segue in scene.segues where segue.action != .custom {
                all.insert(Part(kind: .segue, name: scene.key(of: segue)))
            }
            if scene.select != nil { all.insert(Part(kind: .select, name: scene.name)) }
            if let path = scene.path {
                all.insert(Part(kind: .link, name: path.description))
            }
        }
        self.all = all
    }

    func start(_ window: Window, in app: App) {
        state.withLock { $0.formUnion(Self.shown(window, in: app)) }
    }

    /// Records the parts that an operation has used.
    /// - Parameters:
    ///   - before: the window before the operation.
    ///   - after: the window after the operation.
    func note(_ operation: Operation, from before: Window, to after: Window, _ app: App) {
        var parts = Self.shown(after, in: app)
        Self.collect(operation, before, after, app, into: &parts)
        state.withLock { $0.formUnion(parts) }
    }

    private static func shown(_ window: Window, in app: App) -> Set<Part> {
        var parts: Set<Part> = [
            Part(kind: .root, name: window.root.rawValue),
            Part(kind: .scene, name: window.topViewController.scene.name),
        ]
        let layer = window.activeLayer
        if let scene = layer.tabBarScene {
            parts.insert(Part(kind: .tab, name: "\(scene.name).\(layer.selectedIndex)"))
        }
        return parts
    }

    private static func collect(
        _ operation: Operation, _ before: Window, _ after: Window, _ app: App,
        into parts: inout Set<Part>
    ) {
        // The app has only asked the user to log in.
        if after.pending != nil, after.pending !== before.pending { return }
        let scene = before.topViewController.scene
        func use(segue identifier: String, of scene: Scene) {
            // The operation may have set flags, also the one that chooses the segue, and a segue such
            // as an unwind may have had no effect.
            guard !after.equalsApartFromFlags(before),
                let segue = try? after.segue(identifier, of: scene)
            else { return }
            parts.insert(Part(kind: .segue, name: scene.key(of: segue)))
        }
        func select(_ row: Int, of scene: Scene) {
            if scene.select != nil { parts.insert(Part(kind: .select, name: scene.name)) }
            if let segue = scene.selectSegue { use(segue: segue, of: scene) }
            if let rows = before.fixedRows(of: scene), rows.indices.contains(row),
                let segue = rows[row].segue
            {
                use(segue: segue, of: scene)
            }
        }
        func use(_ veto: Veto?) { if let segue = veto?.segue { use(segue: segue, of: scene) } }
        switch operation.base {
        case let operation as Back where operation.navigationController == nil:
            use(before.vetoOnPop)
        case is SwipeBack: use(before.vetoOnPop)
        case is SwipeDown: use(before.vetoOnSwipeDown)
        case let operation as TapTab: use(before.veto(onTab: operation.index))
        case let operation as SelectRow:
            let controllers = before.layers.flatMap(\.navigationControllers)
            let controller = controllers.first { $0.id == operation.navigationController }
            select(operation.row, of: controller?.topViewController.scene ?? scene)
        case let operation as PerformSegue:
            let source = operation.from.map { before.liveViewController($0)?.scene } ?? scene
            if let source { use(segue: operation.identifier, of: source) }
        case let operation as TapControl:
            guard let tap = try? operation.control(in: before, app) else { return }
            if tap.place == .row {
                select(tap.index, of: scene)
            } else if tap.place == .backButton {
                collect(Operation(Back()), before, after, app, into: &parts)
            } else if tap.place == .tab {
                collect(Operation(TapTab(tap.index)), before, after, app, into: &parts)
            } else if let segue = tap.segue {
                use(segue: segue, of: scene)
            }
        case is LogIn:
            guard let pending = before.pending, after.pending == nil else { return }
            var start = before.withoutPendingAction
            guard (try? start.perform(operation, animated: false, in: app)) != nil,
                pending.viewController == nil
                    || pending.viewController == start.topViewController.id
            else { return }
            var end = start
            guard (try? end.perform(pending.operation, animated: false, in: app)) != nil else {
                return
            }
            collect(pending.operation, start, end, app, into: &parts)
        case let operation as Open:
            let shown = after.topViewController.scene
            if let path = shown.path, app.scene(matching: operation.link) === shown {
                parts.insert(Part(kind: .link, name: path.description))
            }
        case let batch as Batch:
            var window = before
            for entry in batch.operations {
                let start = window
                guard (try? window.perform(entry.operation, animated: false, in: app)) != nil else {
                    return
                }
                collect(entry.operation, start, window, app, into: &parts)
            }
        default: break
        }
    }
}
