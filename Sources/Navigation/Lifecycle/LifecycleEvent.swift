/// One entry of a session's lifecycle log.
public struct LifecycleEvent: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case viewDidLoad
        case willShow, didShow
        case viewWillAppear, viewDidAppear
        case viewWillDisappear, viewDidDisappear
    }

    /// Counts from 1 without gaps.
    public let seq: Int
    /// The revision that the event brought about.
    public let revision: Int
    public let kind: Kind
    public let viewController: ViewController.ID
    public let scene: Scene.Name
    public let animated: Bool

    public init(
        seq: Int, revision: Int, kind: Kind, viewController: ViewController.ID, scene: Scene.Name,
        animated: Bool
    ) {
        self.seq = seq
        self.revision = revision
        self.kind = kind
        self.viewController = viewController
        self.scene = scene
        self.animated = animated
    }
}
