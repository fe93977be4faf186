/// The scenes of an app, and the scenes with which its sessions start. Every instance is valid,
/// because `init` checks the storyboard.
public struct Storyboard: Sendable {
    public struct Segment: Sendable {
        /// The title of the segment in the segmented control; nil if the segment has the title of
        /// its view controller.
        public let title: String?
        public let scene: Scene

        public init(title: String?, scene: Scene) {
            self.title = title
            self.scene = scene
        }
    }

    public let name: String
    /// The scene that a session shows before the log-in; nil for an app without a log-in.
    public let loginScene: Scene?
    /// The scene that a session shows after the log-in, or from the start in an app without a
    /// log-in. If the app has `segments`, the session shows the first segment instead.
    public let initialScene: Scene
    public let segments: [Segment]
    /// Whether the initial scene is in no navigation controller. It is then no container.
    public let initialIsBare: Bool
    /// Whether users can use the app without a log-in. The app then has a login scene.
    public let hasGuests: Bool
    /// The flags, with the values of a new session.
    public let flags: Flags
    /// Whether all sessions are strict. A strict session accepts only operations that a user of the
    /// app can perform, such as a tap.
    public let isStrict: Bool
    /// The order of the lifecycle callbacks in sessions that choose none.
    public let lifecycle: LifecycleOrder
    /// The version of iOS whose rules the app has.
    public private(set) var uikit: UIKitVersion
    /// The groups of callbacks that the log of events has besides the usual ones.
    public private(set) var callbacks: Set<CallbackGroup>
    public let scenes: [Scene.Name: Scene]
    /// The URLs that the app opens.
    public let links: LinkSettings
    /// The scene that shows links to which no scene belongs; nil if there is none.
    public let notFound: Scene?
    /// The patterns of the scenes to which deep links lead.
    let linkIndex: LinkIndex
    /// The scenes to which deep links lead.
    let linked: [Scene]
    /// The names of the scenes that are the `parent` of a scene without a `presentation`.
    private let parents: Set<Scene.Name>
    /// All warnings about the storyboard. If there is a warning about `initialScene`, it comes
    /// first.
    public private(set) var warnings: [StoryboardDefect] = []

    /// Creates a storyboard from a draft, after a check of the draft.
    /// - Parameter dataSource: the source of the rows and images to which the scenes refer.
    /// - Throws: an error with all defects of the draft, not only the first.
    public init(
        _ draft: StoryboardDraft, dataSource: any DataSource
    ) throws(StoryboardDefects) {
        let scenes = Dictionary(draft.scenes.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let defects = StoryboardCheck(draft: draft, scenes: scenes, dataSource: dataSource).run()
        guard defects.isEmpty, let initialScene = draft.initialScene.flatMap({ scenes[$0] }) else {
            let sorted = draft.scenes.sorted { $0.name < $1.name }
            throw StoryboardDefects(
                defects: defects,
                warnings: FlagWarnings(flags: draft.flags.keys, scenes: sorted).warnings)
        }
        name = draft.name
        loginScene = draft.loginScene.flatMap { scenes[$0] }
        self.initialScene = initialScene
        segments = draft.segments.compactMap { segment in
            scenes[segment.scene].map { Segment(title: segment.title, scene: $0) }
        }
        initialIsBare = draft.initialIsBare
        hasGuests = draft.hasGuests
        flags = Flags(draft.flags)
        isStrict = draft.isStrict
        lifecycle = draft.lifecycle
        uikit = draft.uikit
        callbacks = draft.callbacks
        self.scenes = scenes
        links = draft.links
        notFound = draft.links.notFound.flatMap { scenes[$0] }
        let sorted = scenes.values.sorted { $0.name < $1.name }
        linkIndex = LinkIndex(sorted)
        linked = sorted.filter { !$0.paths.isEmpty || $0.name == draft.links.notFound }
        parents = Set(sorted.compactMap { $0.presentation == nil ? $0.parent : nil })
        let findings = StoryboardFindings(self, dataSource)
        guard findings.defects.isEmpty else {
            throw StoryboardDefects(defects: findings.defects, warnings: findings.warnings)
        }
        warnings = findings.warnings
    }

    /// Returns a copy with the rules of a version of iOS, whose sessions log all callbacks.
    public func loggingAllCallbacks(in uikit: UIKitVersion) -> Storyboard {
        var copy = self
        copy.uikit = uikit
        copy.callbacks = Set(CallbackGroup.allCases)
        return copy
    }

    /// Returns whether `scene` is the `parent` of another scene that a deep link puts on the same
    /// stack, directly above `scene`.
    func hasChildren(_ scene: Scene) -> Bool { parents.contains(scene.name) }

    /// Returns `scene` and its direct and indirect parents, as a deep link to `scene` shows them:
    /// the most distant parent first, `scene` last.
    func chain(to scene: Scene) -> [Scene] {
        var chain = [scene]
        while let parent = chain[chain.count - 1].parent.flatMap({ scenes[$0] }) {
            chain.append(parent)
        }
        return chain.reversed()
    }
}

/// The contents of a storyboard that has not been checked yet. `Storyboard.init` checks them.
public struct StoryboardDraft: Sendable {
    public var name: String
    public var loginScene: Scene.Name?
    /// The name of the initial scene. A nil value is a defect, but does not prevent the other
    /// checks.
    public var initialScene: Scene.Name?
    public var segments: [(title: String?, scene: Scene.Name)]
    public var initialIsBare: Bool
    public var hasGuests: Bool
    public var flags: [String: Bool]
    public var scenes: [Scene]
    public var isStrict: Bool
    public var lifecycle: LifecycleOrder
    public var uikit: UIKitVersion
    public var callbacks: Set<CallbackGroup>
    public var links: LinkSettings

    public init(
        name: String, loginScene: Scene.Name? = nil, initialScene: Scene.Name?,
        segments: [(title: String?, scene: Scene.Name)] = [], initialIsBare: Bool = false,
        hasGuests: Bool = false, flags: [String: Bool] = [:], scenes: [Scene],
        isStrict: Bool = false, lifecycle: LifecycleOrder = .native,
        uikit: UIKitVersion = .newest, callbacks: Set<CallbackGroup> = [],
        links: LinkSettings = LinkSettings()
    ) {
        self.name = name
        self.loginScene = loginScene
        self.initialScene = initialScene
        self.segments = segments
        self.initialIsBare = initialIsBare
        self.hasGuests = hasGuests
        self.flags = flags
        self.scenes = scenes
        self.isStrict = isStrict
        self.lifecycle = lifecycle
        self.uikit = uikit
        self.callbacks = callbacks
        self.links = links
    }
}

/// A defect of a storyboard, or a warning about it. The key path names the place, such as
/// `scenes.books.select`.
public struct StoryboardDefect: Sendable, Equatable {
    public let keyPath: String
    public let reason: String

    public init(keyPath: String, reason: String) {
        self.keyPath = keyPath
        self.reason = reason
    }
}

/// An error with all defects of a storyboard.
public struct StoryboardDefects: Error, Sendable, Equatable {
    public let defects: [StoryboardDefect]
    /// The warnings that the defects cannot have caused.
    public let warnings: [StoryboardDefect]

    public init(defects: [StoryboardDefect], warnings: [StoryboardDefect] = []) {
        self.defects = defects
        self.warnings = warnings
    }
}
