import JSON
import Navigation

/// What answers say of an app again and again, written once, at the start: of view controllers that
/// are as their scenes made them, as nearly all without parameters are, and of the segments.
final class AppTexts: Sendable {
    /// Members, with commas between them. A class, as one is handed out for each view controller.
    final class SceneTexts: Sendable {
        /// Of the view controller, before and behind `isViewLoaded`.
        let scene, bars: [UInt8]
        /// Of the navigation bar, before and behind what depends on the stack.
        let barTitle, barItems: [UInt8]
        /// Of the session: the bottom bar and the screen.
        let content: [UInt8]

        fileprivate init(_ viewController: ViewController) {
            scene = members { $0.sceneMembers(of: viewController) }
            bars = members { $0.barMembers(of: viewController) }
            barTitle = members { $0.barTitle(of: viewController) }
            barItems = members { $0.barItems(of: viewController) }
            content = members { $0.contentMembers(of: viewController) }
        }
    }

    let segments: [UInt8]
    private let scenes: [SceneTexts]

    init(_ app: App) {
        scenes = app.prototypes.map(SceneTexts.init)
        segments = members { json in
            json.name("segments")
            json.array(app.storyboard.segments) { json, segment in
                json.object { $0.member("title", segment.title) }
            }
        }
    }

    /// - Returns: nil if the view controller is not as its scene made it.
    func texts(of viewController: ViewController) -> SceneTexts? {
        viewController.prototypeIndex.map { scenes[$0] }
    }
}

private func members(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    write(&json)
    return json.bytes
}
