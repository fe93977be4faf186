/// The findings about links.
extension StoryboardFindings {
    mutating func findInLinks(of scene: Scene, at keyPath: String) {
        guard let chain = chains[scene] else {
            if scene.parent != nil {
                warn("\(keyPath).parent", "has no effect: no link leads here")
            }
            return
        }
        guard scene.path != nil else { return }
        if storyboard.isHomeless(chain.outermost) {
            warn(
                "\(keyPath).path",
                "no tab has this link: it opens in a sheet; give \(chain.outermost.name) a "
                    + "`parent` or a `presentation`")
        }
        if storyboard.lacksStack(for: chain) {
            warn(
                "\(keyPath).path",
                "cannot be opened: the app starts without a navigation controller "
                    + "(`initialIsBare`), and thus without a stack; give \(scene.name) a `presentation`"
            )
        }
        if let tab = bareTab(of: chain, to: scene) {
            warn(
                "\(keyPath).path",
                "cannot be opened: its tab \(tab.name) has no navigation controller, and thus no "
                    + "stack; put the tab's scene into a navigation controller")
        }
        if scene.access == .everyone, let parent = chain.membersScene {
            warn(
                "\(keyPath).parent",
                "guests are asked to log in for this link: \(parent.name) is a members' scene")
        }
    }

    /// Returns the most distant parent of `scene` if it prevents deep links from opening `scene`;
    /// nil otherwise. The parent prevents this if tabs of the root layer show it, and none of these
    /// tabs has a navigation controller. The link then has no stack on which it could put a
    /// view controller above the parent.
    private func bareTab(of chain: LinkChains.Chain, to scene: Scene) -> Scene? {
        let first = chain.outermost
        guard let root = storyboard.rootScene(for: first), root.kind == .tabBar,
            let second = chain.second, first.presentation == nil, second.presentation == nil
        else { return nil }
        let tabs = storyboard.roots(of: root).filter { $0.scene === first }
        return !tabs.isEmpty && tabs.allSatisfy(\.isBare) ? first : nil
    }
}
