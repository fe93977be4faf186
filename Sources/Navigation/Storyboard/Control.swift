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

/// A row that the storyboard writes out.
public struct FixedRow: Sendable, Equatable {
    public let title: String
    public let subtitle: String?
    /// The identifier of the scene's segue that the row performs; nil if it cannot be selected.
    public let segue: String?
    /// The identifier of the segue that the accessory of the row performs; nil if it has none.
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
    /// The segues of the navigation item's and the toolbar's items, by index; nil for an item without.
    public var leftItems: [String?] = []
    public var rightItems: [String?] = []
    public var toolbarItems: [String?] = []
    public var buttons: [Control] = []

    public init() {}
}
