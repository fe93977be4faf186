/// Finds what is wrong with a storyboard whose parts are all valid: ways that no user can go or that
/// lead nowhere, and settings without effect.
struct StoryboardFindings {
    let storyboard: Storyboard
    let dataSource: any DataSource
    let chains: LinkChains
    let reach: SceneReach
    /// The names of the scenes that code shows, and of those to which these lead.
    let shownByCode: Set<Scene.Name>
    let ways: WaysBack
    /// The scenes in the order of their names.
    let scenes: [Scene]
    /// In an app with guests, the names of the scenes that members can reach; nil in other apps.
    let ofMembers: Set<Scene.Name>?
    /// The names of the unwind actions that segues perform.
    let performedActions: Set<String>

    /// The findings with which the service does not start.
    private(set) var defects: [StoryboardDefect] = []
    /// The other findings. If there is one about `initialScene`, it comes first. Those about
    /// scenes follow in the order of the scene names.
    private(set) var warnings: [StoryboardDefect] = []

    init(_ storyboard: Storyboard, _ dataSource: any DataSource) {
        self.storyboard = storyboard
        self.dataSource = dataSource
        chains = LinkChains(to: storyboard.linked, in: storyboard.scenes)
        reach = SceneReach(storyboard, chains)
        shownByCode = storyboard.scenesShownByCode
        ways = WaysBack(storyboard, chains, reach)
        scenes = storyboard.scenes.values.sorted { $0.name < $1.name }
        ofMembers =
            storyboard.hasGuests ? SceneReach(storyboard, chains, isMember: true).names : nil
        performedActions = Set(
            scenes.filter { [reach] in reach.names.contains($0.name) }.flatMap(\.segues)
                .compactMap(\.action.unwindAction))
        findAtStart()
        for scene in scenes { find(in: scene) }
        warnings += FlagWarnings(flags: storyboard.flags.names, scenes: scenes).warnings
    }

    mutating func report(_ keyPath: String, _ reason: String) {
        defects.append(StoryboardDefect(keyPath: keyPath, reason: reason))
    }

    mutating func warn(_ keyPath: String, _ reason: String) {
        warnings.append(StoryboardDefect(keyPath: keyPath, reason: reason))
    }

    private mutating func findAtStart() {
        if !storyboard.segments.isEmpty,
            !storyboard.segments.contains(where: { $0.scene === storyboard.initialScene })
        {
            warn(
                "initialScene",
                "is not one of the segments: the first segment is shown instead")
        }
        guard let loginScene = storyboard.loginScene else { return }
        let forms = SceneReach(from: loginScene, in: storyboard).names
        if !forms.contains(where: { storyboard.scenes[$0]?.submit == .logIn }) {
            let reason =
                "nobody can log in: no form with the `submit` log-in can be reached from here"
            if storyboard.isStrict {
                report("loginScene", reason)
            } else {
                warn("loginScene", reason)
            }
        }
        findTrapOfGuests()
    }

    private mutating func find(in scene: Scene) {
        let at = "scenes.\(scene.name)"
        findIfUnreachable(scene, at: at)
        if scene.tabs.count > TabBar.maximumItems {
            warn(
                "\(at).tabs[\(TabBar.maximumItems)]",
                "is in UIKit's More list, because a phone shows \(TabBar.maximumItems) items at "
                    + "most: no tap on the tab bar reaches it in a strict session")
        }
        if scene.kind == .image, scene.image == nil {
            warn(at, "shows no image: name one in `image`")
        }
        findInLinks(of: scene, at: at)
        findSeguesToOtherRoot(from: scene, at: at)
        findMissingParameters(of: scene, at: at)
        guard reach.names.contains(scene.name) else { return }
        findHiddenTabs(of: scene, at: at)
        findDismissals(of: scene, at: at)
        findTraps(of: scene, at: at)
    }
}

extension Storyboard {
    /// The names of the scenes to which segues, rows, tabs and links lead from the start, including
    /// navigation controllers and tab bar controllers. A user can reach no other scene.
    public var reachableScenes: Set<Scene.Name> {
        SceneReach(self, LinkChains(to: linked, in: scenes)).names
    }

    /// The names of the scenes that the app's own code shows, and of those to which segues, rows
    /// and tabs lead from there.
    public var scenesShownByCode: Set<Scene.Name> {
        scenes.values.filter(\.isShownByCode).reduce(into: []) { names, scene in
            if !names.contains(scene.name) {
                names.formUnion(SceneReach(from: scene, in: self).names)
            }
        }
    }
}
