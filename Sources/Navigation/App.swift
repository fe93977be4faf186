/// The app that all sessions of a service run: the storyboard, and the data that its scenes show.
///
/// A class only so that whatever works with it has it at the price of one reference; it never changes.
public final class App: Sendable {
    public let storyboard: Storyboard
    public let dataSource: any DataSource
    public let limits: SizeLimits
    /// Tells this app from one of another storyboard or other data: what a session shows depends on
    /// both.
    public let digest: UInt64
    /// A new view controller of each scene without parameters. All that are made of the scene later
    /// are the same, but for the id and whether the view is loaded, until somebody changes them.
    public let prototypes: [ViewController]
    private let prototypeIndexes: [ObjectIdentifier: Int]

    public init(
        storyboard: Storyboard, dataSource: any DataSource, limits: SizeLimits = SizeLimits(),
        digest: UInt64 = 0
    ) {
        self.storyboard = storyboard
        self.dataSource = dataSource
        self.limits = limits
        self.digest = digest
        prototypes = storyboard.scenes.values.filter(\.parameters.isEmpty).enumerated().map {
            ViewController(prototype: $1, at: $0, dataSource)
        }
        prototypeIndexes = Dictionary(
            uniqueKeysWithValues: prototypes.enumerated().map { index, prototype in
                (ObjectIdentifier(prototype.scene), index)
            })
    }

    /// - Returns: nil if the scene has parameters.
    public func prototype(of scene: Scene) -> ViewController? {
        prototypeIndexes[ObjectIdentifier(scene)].map { prototypes[$0] }
    }
}
