/// A button in the view of a scene, as the storyboard declares it.
public struct Control: Sendable, Equatable {
    public let title: String
    /// The identifier of the segue that a tap on the button performs; nil if a tap has no effect.
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
    /// The identifier of the segue that the selection of the row performs; nil if the row cannot be
    /// selected.
    public let segue: String?
    /// The identifier of the segue that a tap on the row's accessory button performs; nil if the
    /// row has no accessory button.
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

/// The tappable controls that a scene declares, except for its table rows.
public struct Controls: Sendable, Equatable {
    /// The identifiers of the segues that the left bar items perform, in the order of the items;
    /// nil for an item without a segue. `rightItems` and `toolbarItems` contain the same for the
    /// right bar items and for the toolbar items.
    public var leftItems: [String?] = []
    public var rightItems: [String?] = []
    public var toolbarItems: [String?] = []
    public var buttons: [Control] = []

    public init() {}
}
