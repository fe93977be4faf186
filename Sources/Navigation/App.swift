/// What all sessions of a service share: the storyboard, and the data that its scenes show.
///
/// A class only so that whatever works with it has it at the price of one reference; it never changes.
public final class App: Sendable {
    public let storyboard: Storyboard
    public let dataSource: any DataSource
    /// The most view controllers that a stack may hold.
    public let maximumStackDepth: Int
    /// Of each scene without parameters: all its new view controllers have the same.
    let initialProperties: [ObjectIdentifier: ViewController.Properties]

    public init(storyboard: Storyboard, dataSource: any DataSource, maximumStackDepth: Int = 1000) {
        self.storyboard = storyboard
        self.dataSource = dataSource
        self.maximumStackDepth = maximumStackDepth
        let scenes = storyboard.scenes.values.filter(\.parameters.isEmpty)
        initialProperties = Dictionary(
            uniqueKeysWithValues: scenes.map { scene in
                (ObjectIdentifier(scene), ViewController.Properties(scene, .none, dataSource))
            })
    }
}
