/// A deep link, as a client asks for it.
public struct Link: Sendable, Equatable {
    /// The link as it was written: an absolute path, percent-encoded.
    public let path: String
    /// The segments of the path, each decoded.
    public let segments: [String]

    public init(path: String, segments: [String]) {
        self.path = path
        self.segments = segments
    }
}

extension Storyboard {
    /// Finds the scene that a link leads to, and the values of its parameters.
    /// - Throws: `.linkNotFound`.
    func resolve(
        _ link: Link, in dataSource: any DataSource
    ) throws(NavigationError) -> (scene: Scene, values: [String: String]) {
        for (pattern, scene) in linked {
            guard let values = pattern.match(link.segments) else { continue }
            let isWhole = chain(to: scene).allSatisfy { scene in
                let parameters = Parameters(
                    names: scene.parameters, values: scene.parameters.map { values[$0] ?? "" })
                return scene.firstDangling(in: parameters, of: dataSource) == nil
            }
            if isWhole { return (scene, values) }
        }
        throw .linkNotFound(link.path)
    }
}
