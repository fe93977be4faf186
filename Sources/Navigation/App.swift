/// The app that all sessions of a service run: the storyboard, and the data that its scenes show.
///
/// The type is a class so that sharing an app costs only a reference; an instance never changes.
public final class App: Sendable {
    public let storyboard: Storyboard
    public let dataSource: any DataSource
    public let limits: SizeLimits
    /// A digest of the storyboard and the data, which determine what a session shows. Apps with
    /// different content have different digests.
    public let digest: UInt64
    /// One view controller for each scene without parameters. New view controllers of such a scene
    /// share its memory until an operation changes them.
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

    /// Returns the prototype for a scene; nil if the scene has parameters.
    public func prototype(of scene: Scene) -> ViewController? {
        prototypes[ObjectIdentifier(scene)]
    }
}
