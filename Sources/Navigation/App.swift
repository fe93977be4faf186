/// What all sessions of a service share: the storyboard, and the data that its scenes show.
public struct App: Sendable {
    public let storyboard: Storyboard
    public let dataSource: any DataSource
    /// The most view controllers that a stack may hold.
    public let maximumStackDepth: Int

    public init(storyboard: Storyboard, dataSource: any DataSource, maximumStackDepth: Int = 1000) {
        self.storyboard = storyboard
        self.dataSource = dataSource
        self.maximumStackDepth = maximumStackDepth
    }
}
