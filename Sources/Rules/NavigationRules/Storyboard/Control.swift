/// A button or a bar item, as the storyboard declares it.
public struct Control: Sendable, Equatable {
    public let title: String
    /// The identifier of the segue that a tap on the control performs; nil if it performs none.
    public let segue: String?
    /// The condition under which the control is there; nil if it always is.
    public let when: FlagCondition?
    /// The flags that a tap on the control sets, with their new values, before it performs the
    /// segue.
    public let sets: [String: Bool]

    public init(
        title: String, segue: String?, when: FlagCondition? = nil, sets: [String: Bool] = [:]
    ) {
        self.title = title
        self.segue = segue
        self.when = when
        self.sets = sets
    }

    /// Whether the control is more than its title: a tap on it does something, or it can be hidden.
    var hasEffect: Bool { segue != nil || when != nil || !sets.isEmpty }
}

/// A table row whose text is in the storyboard itself, not in the data source.
public struct FixedRow: Sendable, Equatable {
    public let title: String
    public let subtitle: String?
    /// The identifier of the segue that the selection of the row performs; nil if it performs none.
    public let segue: String?
    /// The identifier of the segue that a tap on the row's accessory button performs; nil if the
    /// row has no accessory button.
    public let accessorySegue: String?
    /// The condition under which the row is there; nil if it always is.
    public let when: FlagCondition?
    /// The flags that the selection of the row sets, with their new values, before it performs the
    /// segue.
    public let sets: [String: Bool]

    public init(
        title: String, subtitle: String? = nil, segue: String? = nil,
        accessorySegue: String? = nil, when: FlagCondition? = nil, sets: [String: Bool] = [:]
    ) {
        self.title = title
        self.subtitle = subtitle
        self.segue = segue
        self.accessorySegue = accessorySegue
        self.when = when
        self.sets = sets
    }

    /// Whether the selection of the row has an effect. If false, the row cannot be selected.
    public var isSelectable: Bool { segue != nil || !sets.isEmpty }
}

/// The tappable controls that a scene declares, except for its table rows.
public struct Controls: Sendable, Equatable {
    /// The left bar items, in the order of their titles in the scene's `navigationItem`.
    /// `rightItems` and `toolbarItems` contain the same for the right bar items and for the toolbar
    /// items.
    public var leftItems: [Control] = []
    public var rightItems: [Control] = []
    public var toolbarItems: [Control] = []
    public var buttons: [Control] = []

    public init() {}

    /// All controls.
    public var all: [Control] { leftItems + rightItems + toolbarItems + buttons }
}
