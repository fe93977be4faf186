/// A deep link that a client requests.
public struct Link: Sendable, Equatable {
    /// The link as the client wrote it: an absolute path with percent-encoding.
    public let path: String
    /// The decoded segments of the path.
    public let segments: [String]

    public init(path: String, segments: [String]) {
        self.path = path
        self.segments = segments
    }
}

extension Storyboard {
    /// Finds the scene for a link, and the values of its parameters.
    /// - Throws: `.linkNotFound` if no scene matches the link, or if the link's parameters identify
    ///   no data for the scene or for one of its parents.
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
