/// An app's scenes, and where its sessions start. Checked when it is made: see `init`.
public struct Storyboard: Sendable {
    public struct Segment: Sendable {
        /// Nil where the title is that of the segment's root.
        public let title: String?
        public let scene: Scene

        public init(title: String?, scene: Scene) {
            self.title = title
            self.scene = scene
        }
    }

    public let name: String
    /// The root of the login root; nil for an app without a login.
    public let loginScene: Scene?
    /// The root of the app root, unless there are segments.
    public let initialScene: Scene
    public let segments: [Segment]
    public let scenes: [Scene.Name: Scene]
    /// The scenes with a path, in the order in which a link is to be tried against them.
    let linked: [(pattern: PathPattern, scene: Scene)]

    /// - Throws: every defect of the storyboard, not only the first.
    public init(
        _ draft: StoryboardDraft, dataSource: any DataSource
    ) throws(StoryboardDefects) {
        let scenes = Dictionary(draft.scenes.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let defects = StoryboardCheck(draft: draft, scenes: scenes, dataSource: dataSource).run()
        guard defects.isEmpty, let initialScene = draft.initialScene.flatMap({ scenes[$0] }) else {
            throw StoryboardDefects(defects: defects)
        }
        name = draft.name
        loginScene = draft.loginScene.flatMap { scenes[$0] }
        self.initialScene = initialScene
        segments = draft.segments.compactMap { segment in
            scenes[segment.scene].map { Segment(title: segment.title, scene: $0) }
        }
        self.scenes = scenes
        linked = draft.scenes
            .compactMap { scene in scene.path.map { ($0, scene) } }
            .sorted { $0.0.precedes($1.0) }
    }

    /// The scenes from the root of the stack up to `scene`, along its parents.
    func chain(to scene: Scene) -> [Scene] {
        var chain = [scene]
        while let parent = chain[chain.count - 1].parent.flatMap({ scenes[$0] }) {
            chain.append(parent)
        }
        return chain.reversed()
    }
}

/// A storyboard as it was written down, not yet checked.
public struct StoryboardDraft: Sendable {
    public var name: String
    public var loginScene: Scene.Name?
    /// Must be there; nil only so that a draft without it can be checked for all else.
    public var initialScene: Scene.Name?
    public var segments: [(title: String?, scene: Scene.Name)]
    public var scenes: [Scene]

    public init(
        name: String, loginScene: Scene.Name? = nil, initialScene: Scene.Name?,
        segments: [(title: String?, scene: Scene.Name)] = [], scenes: [Scene]
    ) {
        self.name = name
        self.loginScene = loginScene
        self.initialScene = initialScene
        self.segments = segments
        self.scenes = scenes
    }
}

/// A defect of a storyboard, and where it is: `scenes.books.select`.
public struct StoryboardDefect: Sendable, Equatable {
    public let keyPath: String
    public let reason: String

    public init(keyPath: String, reason: String) {
        self.keyPath = keyPath
        self.reason = reason
    }
}

public struct StoryboardDefects: Error, Sendable, Equatable {
    public let defects: [StoryboardDefect]

    public init(defects: [StoryboardDefect]) {
        self.defects = defects
    }
}
