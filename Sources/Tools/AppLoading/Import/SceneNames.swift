/// Chooses a unique name for each imported scene: its storyboard identifier, unless another scene
/// has the same; else its class, unless another scene has this class or identifier; else its object
/// id. Other scenes are those of the same storyboard.
///
/// A name depends on the scene's own storyboard only, so that import options and flows stay valid
/// when the project gets another storyboard. For this reason, the names in each storyboard but the
/// one with which the app starts begin with the storyboard's name, such as `Settings/About`.
enum SceneNames {
    static func names(
        of keys: [SceneKey], in project: XcodeProject, _ scenes: [SceneKey: XcodeScene]
    ) -> [SceneKey: String] {
        func file(_ key: SceneKey) -> String { project.storyboards[key.storyboard].name }
        let kinds: [(SceneKey) -> String?] = [
            { scenes[$0]?.storyboardIdentifier }, { scenes[$0]?.customClass }, { $0.id },
        ]
        var named: [SceneKey: String] = [:]
        /// The names of the earlier kinds, which have precedence.
        var earlier: Set<String> = []
        for kind in kinds {
            var owners: [String: [SceneKey]] = [:]
            for key in keys {
                guard let name = kind(key) else { continue }
                let full = key.storyboard == project.entry ? name : "\(file(key))/\(name)"
                owners[full, default: []].append(key)
            }
            for (name, owners) in owners where owners.count == 1 && !earlier.contains(name) {
                named[owners[0]] = named[owners[0]] ?? name
            }
            earlier.formUnion(owners.keys)
        }
        var taken = Set(named.values)
        for key in keys where named[key] == nil {
            // Two storyboards in different folders can have the same name.
            var name = "\(file(key))/\(key.storyboard + 1)/\(key.id)"
            while !taken.insert(name).inserted { name += "-2" }
            named[key] = name
        }
        return named
    }
}
