/// The checks of the key `links`, and of the patterns of all scenes together.
extension StoryboardCheck {
    mutating func checkLinks() {
        for (index, host) in draft.links.hosts.enumerated() {
            let name = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
            if !LinkSettings.isHost(name) {
                report(
                    "links.hosts[\(index)]", "expected a host such as example.com, found \(host)")
            }
        }
        for (index, scheme) in draft.links.schemes.enumerated() {
            let at = "links.schemes[\(index)]"
            if !LinkSettings.isScheme(scheme) {
                report(at, "expected a scheme such as shop, found \(scheme)")
            } else if ["http", "https"].contains(scheme) {
                report(at, "\(scheme) belongs to no app: list its hosts in `links.hosts`")
            }
        }
        checkNotFound()
        checkPathsDiffer()
    }

    private mutating func checkNotFound() {
        let at = "links.notFound"
        guard let name = draft.links.notFound, let scene = existing(name, at: at) else { return }
        checkCanBeShown(scene, at: at)
        if scene.access == .login { report(at, "\(name) does not have the access members") }
        for parameter in scene.requiredParameters
        where parameter != LinkSettings.notFoundParameter {
            report(
                at,
                "\(name) needs the parameter \(parameter): an unknown link gives only "
                    + LinkSettings.notFoundParameter)
        }
    }

    /// Checks that each link has only one most specific pattern.
    private mutating func checkPathsDiffer() {
        struct Form: Hashable {
            let shape: [PathPattern.Segment]
            let requiredQuery: [String]
        }
        var owners: [Form: Scene.Name] = [:]
        for scene in draft.scenes.sorted(by: { $0.name < $1.name }) {
            for (index, path) in scene.paths.enumerated() {
                let entry = LinkIndex.Entry(path, scene, isMain: index == 0)
                let form = Form(shape: path.shape, requiredQuery: entry.requiredQuery)
                if let owner = owners[form] {
                    report(
                        "scenes.\(scene.name).path",
                        "matches the same links as scenes.\(owner).path")
                }
                owners[form] = scene.name
            }
        }
    }
}
