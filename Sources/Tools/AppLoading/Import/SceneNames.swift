/// Chooses a unique name for each imported scene: the first of the storyboard identifier, the class
/// name and the object id that no other scene of the same storyboard has.
///
/// A name depends on the scene's own storyboard only, so that import options and flows stay valid
/// when the project gets another storyboard. For this reason, the names in each storyboard but the
/// one with which the app starts begin with the storyboard's name, such as `Settings/About`.
enum SceneNames {
    static func names(
        of keys: [SceneKey], in project: XcodeProject, _ scene: (SceneKey) -> XcodeScene?
    ) -> [SceneKey: String] {
        let candidates = keys.map { key in
            let file = project.storyboards[key.storyboard].name
            return [scene(key)?.storyboardIdentifier, scene(key)?.customClass, key.id]
                .compactMap { $0 }
                .map { key.storyboard == project.entry ? $0 : "\(file)/\($0)" }
        }
        var uses: [String: Int] = [:]
        for names in candidates { for name in Set(names) { uses[name, default: 0] += 1 } }
        var named: [SceneKey: String] = [:]
        var taken: Set<String> = []
        for (key, candidates) in zip(keys, candidates) {
            let file = project.storyboards[key.storyboard].name
            // Two storyboards in different folders can have the same name.
            var name =
                candidates.first { uses[$0] == 1 } ?? "\(file)/\(key.storyboard + 1)/\(key.id)"
            while !taken.insert(name).inserted { name += "-2" }
            named[key] = name
        }
        return named
    }
}
