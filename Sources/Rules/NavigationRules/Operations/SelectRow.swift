/// Selects a row, as `tableView(_:didSelectRowAt:)` reports it.
public struct SelectRow: StackOperation {
    public static let name = "select-row"
    public static let summary =
        "Selects a row of the table on top of the stack, which pushes the table's scene for "
        + "selected rows or performs a segue."
    public static let shortForm = ShortForm.title(of: .row, member: "row")
    public static let refusals: [NavigationError.Code] =
        .segue + .navigationController + [.notSelectable, .rowOutOfRange]

    public var row = 0
    public var navigationController: NavigationController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("row", required: .integer, &row, "The index of the row, counted from 0.")
        visitNavigationController(&visitor)
    }

    public init(_ row: Int) { self.row = row }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        try window.select(row: row, at: try position(in: window), in: app)
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool {
        guard navigationController == nil else { return false }
        // A row that does not exist is refused later, with a more precise error.
        let count = window.numberOfRows(of: window.topViewController)
        guard (0..<count).contains(row) else { return true }
        return window.rowTaps(row..<(row + 1), in: app).contains { $0.place == .row }
    }

    public func pendingAction(in window: Window, animated: Bool?, _ app: App) -> PendingAction? {
        guard navigationController == nil else { return nil }
        let top = window.topViewController
        // The log-in can change the indexes of fixed rows.
        let fixed = top.scene.fixedRows.flatMap { _ in
            window.rowTaps(row..<(row + 1), in: app).first { $0.place == .row }
        }
        return PendingAction(
            viewController: top.id,
            fixed.map { Operation(TapControl(title: $0.title, in: .row)) } ?? Operation(self),
            animated: animated)
    }
}

extension Window {
    mutating func select(
        row: Int, at position: StackPosition, in app: App
    ) throws(NavigationError) {
        let table = self[position].top
        let scene = table.scene
        guard scene.kind == .table, scene.isSelectable else {
            throw .notSelectable(scene.name, row: nil)
        }
        let count = numberOfRows(of: table)
        guard (0..<count).contains(row) else { throw .rowOutOfRange(row: row, count: count) }
        if let fixed = fixedRows(of: scene)?[row] {
            guard fixed.isSelectable else { throw .notSelectable(scene.name, row: row) }
            try set(fixed.sets)
            guard let segue = fixed.segue else { return }
            return try follow(segue, from: table.id, in: app)
        }
        guard let rows = scene.rows,
            let row = app.dataSource.row(row, of: rows, table.parameters)
        else { throw .rowOutOfRange(row: row, count: count) }
        if let identifier = scene.selectSegue {
            let segue = try segue(identifier, of: scene)
            let wanted =
                segue?.action.scene.flatMap { app.storyboard.scenes[$0] }
                .map(app.storyboard.parameters) ?? []
            let values = row.parameters.byName.filter { wanted.contains($0.key) }
            return try follow(identifier, values, from: table.id, in: app)
        }
        try requireNavigationController(at: position)
        let name = scene.select ?? ""
        // `StoryboardCheck` has verified that the scene exists and that the rows supply its
        // parameters.
        let wanted = app.storyboard.scenes[name]?.parameters ?? []
        let parameters = row.parameters.byName.filter { wanted.contains($0.key) }
        try push(.scene(name, parameters: parameters), at: position, in: app)
    }
}
