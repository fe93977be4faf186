import NavigationRules

extension Storyboard {
    /// Returns the reason why no way can lead to a scene with this name; nil if one can.
    package func refusal(ofWayTo name: Scene.Name) -> String? {
        if let scene = scenes[name] {
            guard scene.kind.isContainer else { return nil }
            return "\(name) is a container, which is never on a stack itself: name one of the "
                + "scenes that it contains"
        }
        let names = scenes.filter { !$0.value.kind.isContainer }.keys.sorted()
        return "no scene is named \(name)"
            + (didYouMean(name, among: names).map { "; \($0)" } ?? "")
    }
}
