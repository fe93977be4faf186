/// The persistent part of a window, as plain values. The storyboard supplies the other parts when
/// the window is restored.
public struct WindowArchive: Sendable, Equatable {
    public struct Entry: Sendable, Equatable {
        public let number: Int
        public let scene: Scene.Name
        public let parameters: Parameters
        public let isViewLoaded: Bool
        /// The changes that clients have made to the view controller.
        public let changes: ViewControllerChanges

        public init(
            number: Int, scene: Scene.Name, parameters: Parameters, isViewLoaded: Bool,
            changes: ViewControllerChanges
        ) {
            self.number = number
            self.scene = scene
            self.parameters = parameters
            self.isViewLoaded = isViewLoaded
            self.changes = changes
        }
    }

    public struct SegmentRoots: Sendable, Equatable {
        public let selectedIndex: Int
        /// The number of each segment's root; nil for a root that does not exist yet.
        public let roots: [Int?]
        /// The roots of segments that exist but are not on the stack.
        public let kept: [Entry]

        public init(selectedIndex: Int, roots: [Int?], kept: [Entry]) {
            self.selectedIndex = selectedIndex
            self.roots = roots
            self.kept = kept
        }
    }

    public let lifecycle: LifecycleOrder
    public let revision: Int
    public let auth: Auth
    public let stack: [Entry]
    public let segments: SegmentRoots?
    public let pendingLink: Link?
    public let lastEvent: Int
    public let lastViewController: Int

    public init(
        lifecycle: LifecycleOrder, revision: Int, auth: Auth, stack: [Entry],
        segments: SegmentRoots?, pendingLink: Link?, lastEvent: Int, lastViewController: Int
    ) {
        self.lifecycle = lifecycle
        self.revision = revision
        self.auth = auth
        self.stack = stack
        self.segments = segments
        self.pendingLink = pendingLink
        self.lastEvent = lastEvent
        self.lastViewController = lastViewController
    }
}
