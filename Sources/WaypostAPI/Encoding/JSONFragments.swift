import JSON
import Navigation

/// JSON fragments that are encoded once, when the service starts: unmodified view controllers of
/// scenes without parameters, and the titles of segments.
final class JSONFragments: Sendable {
    /// The fragments of one scene. Each fragment is a row or a list of members with commas between
    /// them. The type is a class because it is passed on for each view controller.
    final class SceneFragments: Sendable {
        /// The members of the view controller before (`scene`) and after (`bars`) its
        /// `isViewLoaded`.
        let scene, bars: [UInt8]
        /// The members of the navigation bar before (`barTitle`) and after (`barItems`) the members
        /// that depend on the stack.
        let barTitle, barItems: [UInt8]
        /// The members of the session for the bottom bar, the toolbar and the screen.
        let content: [UInt8]
        /// The rows of the scene's table; nil if there are more than 1000 or the scene is no table.
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

    /// The `title` member of each segment; nil if the storyboard does not name the segment.
    let segments: [[UInt8]?]
    /// The title of each segment's unmodified root.
    let roots: [String?]
    private let scenes: [SceneFragments]

    init(_ app: App) {
        scenes = app.prototypes.map { SceneFragments($0, app) }
        roots = app.storyboard.segments.map { app.prototype(of: $0.scene)?.title }
        segments = app.storyboard.segments.map { segment in
            segment.title.map { title in written { $0.member("title", title) } }
        }
    }

    /// Returns the fragments of the view controller's scene; nil if the view controller has
    /// parameters or was modified.
    func texts(of viewController: ViewController) -> SceneFragments? {
        viewController.prototypeIndex.map { scenes[$0] }
    }
}

private func written(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    write(&json)
    return json.bytes
}
