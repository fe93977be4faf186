/// A control that the user can tap, as a scene declares it.
public struct Control: Sendable, Equatable {
    public let title: String
    /// The identifier of the scene's segue that the tap performs; nil if nothing happens.
    public let segue: String?

    public init(title: String, segue: String?) {
        self.title = title
        self.segue = segue
    }
}

/// A table row whose text is in the storyboard itself, not in the data source.
public struct FixedRow: Sendable, Equatable {
    public let title: String
    public let subtitle: String?
    /// The identifier of the scene's segue that the row performs; nil if the row cannot be
    /// selected.
    public let segue: String?
    /// The identifier of the segue that the row's accessory performs; nil for a row without
    /// accessory.
    public let accessorySegue: String?

    public init(
        title: String, subtitle: String? = nil, segue: String? = nil,
        accessorySegue: String? = nil
    ) {
        self.title = title
        self.subtitle = subtitle
        self.segue = segue
        self.accessorySegue = accessorySegue
    }
}

/// The controls of a scene besides its rows.
public struct Controls: Sendable, Equatable {
    /// The identifier of the segue of each left item; nil for an item without a segue. `rightItems`
    /// and `toolbarItems` are the same for the right items and for the items of the toolbar.
    public var leftItems: [String?] = []
    public var rightItems: [String?] = []
    public var toolbarItems: [String?] = []
    public var buttons: [Control] = []

    public init() {}
}
