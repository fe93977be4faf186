import JSON
import Navigation

/// JSON fragments that are encoded once, at the start: unmodified view controllers of scenes
/// without parameters, and the segments.
final class JSONFragments: Sendable {
    /// Members, with commas between them, and rows. A class, as one is handed out for each view
    /// controller.
    final class SceneFragments: Sendable {
        /// The view controller's members before and behind `isViewLoaded`.
        let scene, bars: [UInt8]
        /// The navigation bar's members before and behind those that depend on the stack.
        let barTitle, barItems: [UInt8]
        /// The session's members: the bottom bar, the toolbar and the screen.
        let content: [UInt8]
        /// The rows of its table; nil if there are very many.
        let rows: [[UInt8]]?

        fileprivate init(_ viewController: ViewController, _ app: App) {
            if case .table(let count) = viewController.screen, count <= JSONFragments.mostRows {
                let all = app.rows(0..<count, of: viewController)
                rows = all.indices.map { row in written { $0.row(all[row], at: row) } }
            } else {
                rows = nil
            }
            scene = written { $0.sceneMembers(of: viewController) }
            bars = written { $0.barMembers(of: viewController) }
            barTitle = written { $0.barTitle(of: viewController) }
            barItems = written { $0.barItems(of: viewController) }
            content = written { $0.contentMembers(of: viewController) }
        }
    }

    private static let mostRows = 1000

    /// The title of each segment that the storyboard names.
    let segments: [[UInt8]?]
    /// The title of each segment's root as its scene makes it.
    let roots: [String?]
    private let scenes: [SceneFragments]

    init(_ app: App) {
        scenes = app.prototypes.map { SceneFragments($0, app) }
        roots = app.storyboard.segments.map { app.prototype(of: $0.scene)?.title }
        segments = app.storyboard.segments.map { segment in
            segment.title.map { title in written { $0.member("title", title) } }
        }
    }

    /// - Returns: nil if the view controller is not as its scene made it.
    func texts(of viewController: ViewController) -> SceneFragments? {
        viewController.prototypeIndex.map { scenes[$0] }
    }
}

private func written(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    write(&json)
    return json.bytes
}
