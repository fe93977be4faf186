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
        if let tab = storyboard.bareTab(below: chain) {
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
}
