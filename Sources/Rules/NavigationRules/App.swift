/// The app that all sessions of a service run: the storyboard, and the data that its scenes show.
///
/// The type is a class, so that all sessions share one instance. An instance never changes.
public final class App: Sendable {
    public let storyboard: Storyboard
    public let dataSource: any DataSource
    public let limits: SizeLimits
    /// A hash of the storyboard and the data. A change of the storyboard or of the data changes the
    /// hash.
    public let digest: UInt64
    /// A template view controller for each scene without parameters, by the identity of the scene.
    /// A new view controller of the scene shares the properties of the template in memory, until an
    /// operation changes a property of that view controller.
    private let prototypes: [ObjectIdentifier: ViewController]

    public init(
        storyboard: Storyboard, dataSource: any DataSource, limits: SizeLimits = SizeLimits(),
        digest: UInt64 = 0
    ) {
        self.storyboard = storyboard
        self.dataSource = dataSource
        self.limits = limits
        self.digest = digest
        prototypes = Dictionary(
            uniqueKeysWithValues: storyboard.scenes.values.filter(\.parameters.isEmpty).map {
                (ObjectIdentifier($0), ViewController(prototype: $0, dataSource))
            })
    }

    /// Returns the template view controller of `scene`; nil if the scene has parameters. New view
    /// controllers of the scene share the properties of the template in memory, each until an
    /// operation changes one of its own properties.
    public func prototype(of scene: Scene) -> ViewController? {
        prototypes[ObjectIdentifier(scene)]
    }
}
