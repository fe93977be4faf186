import JSON

/// Taps a control on the screen, such as a row or a bar item.
public struct TapControl: NavigationOperation {
    public static let name = "tap"
    public static let summary =
        "Taps a control on the screen, named by its title, or by its place and index."
    public static let exactlyOne = ["title", "index"]
    public static let shortForm = ShortForm.text("title")
    public static let refusals: [NavigationError.Code] =
        .segue + [
            .tapNotFound, .tapOutOfRange, .ambiguousTap, .tabBarHidden, .notSelectable,
            .rowOutOfRange, .popRefused, .selectionRefused,
            .segueNotFound,
        ]

    public var title: String?
    public var place: Tap.Place?
    public var index: Int?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("title", .text, &title, "The title of the control.")
        visitor.member(
            "place", .choice, &place,
            """
            The kind of control. A title without a place may stand anywhere on the screen, except at an \
            accessory.
            """)
        visitor.member(
            "index", .integer, &index, with: "place",
            "The index of the control among those in the same place, counted from 0.")
    }

    public init(title: String, in place: Tap.Place? = nil) {
        self.title = title
        self.place = place
    }

    public init(_ index: Int, in place: Tap.Place) {
        self.index = index
        self.place = place
    }

    public init(_ tap: Tap) { self.init(tap.index, in: tap.place) }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let tap = try control(in: window, app)
        switch tap.place {
        case .backButton: try Back().perform(on: &window, in: app)
        case .segment: try SelectSegment(tap.index).perform(on: &window, in: app)
        case .tab: try TapTab(tap.index).perform(on: &window, in: app)
        case .row: try SelectRow(tap.index).perform(on: &window, in: app)
        case .leftItem, .rightItem, .accessory, .button, .toolbarItem:
            try window.set(tap.sets)
            guard let segue = tap.segue else { return }
            try window.follow(segue, in: app)
        }
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { true }

    public func pendingAction(in window: Window, animated: Bool?, _ app: App) -> PendingAction? {
        guard let control = try? control(in: window, app) else { return nil }
        let index = control.index
        switch control.place {
        case .tab: return TapTab(index).pendingAction(in: window, animated: animated, app)
        case .segment:
            return SelectSegment(index).pendingAction(in: window, animated: animated, app)
        case .row: return SelectRow(index).pendingAction(in: window, animated: animated, app)
        case .leftItem, .backButton, .rightItem, .accessory, .button, .toolbarItem:
            // The log-in can change the indexes of the controls.
            return PendingAction(
                viewController: window.topViewController.id,
                Operation(TapControl(title: control.title, in: control.place)), animated: animated)
        }
    }

    /// Returns the control that the tap reaches.
    /// - Throws: `.tapNotFound` if no control has the title; `.tapOutOfRange` if none has the index
    ///   in the place; `.ambiguousTap` if several controls have the title.
    public func control(in window: Window, _ app: App) throws(NavigationError) -> Tap {
        guard let title else {
            return try control(at: index ?? 0, in: place ?? .row, of: window, app)
        }
        let (above, below) = place?.isInRows == true ? ([], []) : window.tapsAroundRows(in: app)
        let rows = place?.isInRows == false ? [] : window.rowTaps(titled: title, in: app)
        let equal = meant(above + rows + below).filter { $0.title == title }
        guard !equal.isEmpty else {
            let taps = window.taps(in: app)
            throw .tapNotFound(
                title, in: place, elsewhere: taps.first { $0.title == title }?.place,
                nearest: nearest(to: title, among: meant(taps).map(\.title)), count: taps.count)
        }
        // Titles can differ in their Unicode form alone.
        let identical = equal.filter { areIdentical($0.title, title) }
        let found = identical.isEmpty ? equal : identical
        guard found.count == 1 else {
            throw .ambiguousTap(title, found.map { "\($0.place.rawValue) \($0.index)" })
        }
        return found[0]
    }

    /// Returns the controls that a title can mean. An accessory has the title of its row. If the
    /// client names no place, the title stands for the row.
    private func meant(_ taps: [Tap]) -> [Tap] {
        taps.filter { place == nil ? $0.place != .accessory : $0.place == place }
    }

    /// Returns the control with this index in a place. Of the rows, only the one with the index is
    /// read.
    /// - Throws: `.tapOutOfRange` if no control has the index in the place.
    private func control(
        at index: Int, in place: Tap.Place, of window: Window, _ app: App
    ) throws(NavigationError) -> Tap {
        let taps: [Tap]
        if place.isInRows {
            let rows = 0..<window.numberOfRows(of: window.topViewController)
            taps = rows.contains(index) ? window.rowTaps(index..<(index + 1), in: app) : []
        } else {
            let (above, below) = window.tapsAroundRows(in: app)
            taps = above + below
        }
        if let tap = taps.first(where: { $0.place == place && $0.index == index }) { return tap }
        let all = place.isInRows ? window.taps(in: app) : taps
        throw .tapOutOfRange(
            index, in: place, indices: all.filter { $0.place == place }.map(\.index))
    }
}
