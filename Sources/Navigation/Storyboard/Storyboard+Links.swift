/// A deep link that a client asks a session to open.
public struct Link: Sendable, Equatable {
    /// The link as the client wrote it: an absolute path with percent-encoding.
    public let path: String
    /// The segments of the path, without percent-encoding.
    public let segments: [String]

    public init(path: String, segments: [String]) {
        self.path = path
        self.segments = segments
    }
}

extension Storyboard {
    /// Finds the scene that a deep link opens. Returns this scene, and the values of the parameters
    /// in the path of the link.
    /// - Throws: `.linkNotFound` if the path matches the pattern of no scene, or if the value of a
    ///   parameter is an id for which the app has no data. The check includes the parameters of the
    ///   direct and indirect parents of the scene.
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
