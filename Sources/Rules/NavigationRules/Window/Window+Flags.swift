/// The flags of a session, and the controls and segues that they guard.
extension Window {
    /// Returns whether a condition holds; true if there is none.
    public func holds(_ condition: FlagCondition?) -> Bool {
        guard let condition else { return true }
        if condition.flag == Flags.loggedIn { return isLoggedIn == condition.value }
        return flags[condition.flag] == condition.value
    }

    /// Sets flags. The others keep their values.
    /// - Throws: `.flagNotFound` for the first name, in alphabetical order, that is no flag of the
    ///   storyboard.
    mutating func set(_ values: [String: Bool]) throws(NavigationError) {
        guard !values.isEmpty else { return }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard flags[name] != nil else {
                throw .flagNotFound(name, nearest: nearest(to: name, among: flags.names))
            }
            flags[name] = value
        }
    }

    /// Returns whether two windows are the same but for their flags and their revisions.
    package func equalsApartFromFlags(_ other: Window) -> Bool {
        var window = self
        window.flags = other.flags
        window.revision = other.revision
        return window == other
    }

    /// Returns the segue of a scene with this identifier whose condition holds; nil if the scene
    /// has such segues, but no condition holds.
    /// - Throws: `.segueNotFound` if the scene has no segue with this identifier.
    public func segue(
        _ identifier: String, of scene: Scene
    ) throws(NavigationError) -> Segue? {
        guard scene.segues.contains(where: { $0.identifier == identifier }) else {
            throw .segueNotFound(identifier, in: scene.name)
        }
        return scene.segues.first { $0.identifier == identifier && holds($0.when) }
    }

    // MARK: Controls

    /// Returns the items of a bar whose conditions hold.
    /// - Parameters:
    ///   - titles: the titles of all items.
    ///   - controls: the items in the storyboard; empty if a client has set the titles.
    func shown(_ titles: [String], _ controls: [Control]) -> [String] {
        guard controls.contains(where: { $0.when != nil }) else { return titles }
        return titles.indices.filter { $0 >= controls.count || holds(controls[$0].when) }
            .map { titles[$0] }
    }

    /// Returns the titles of a view controller's left items that the navigation bar shows.
    public func leftItems(of viewController: ViewController) -> [String] {
        let items = viewController.navigationItem.leftItems
        guard viewController.scene.hasConditions,
            viewController.changes.navigationItem.leftItems == nil
        else { return items }
        return shown(items, viewController.scene.controls.leftItems)
    }

    /// Returns the titles of a view controller's right items that the navigation bar shows.
    public func rightItems(of viewController: ViewController) -> [String] {
        let items = viewController.navigationItem.rightItems
        guard viewController.scene.hasConditions,
            viewController.changes.navigationItem.rightItems == nil
        else { return items }
        return shown(items, viewController.scene.controls.rightItems)
    }

    /// Returns the titles of a view controller's toolbar items that the toolbar shows.
    func toolbarItems(of viewController: ViewController) -> [String] {
        let items = viewController.toolbarItems
        guard viewController.scene.hasConditions, viewController.changes.toolbarItems == nil else {
            return items
        }
        return shown(items, viewController.scene.controls.toolbarItems)
    }

    // MARK: Rows

    /// Returns the fixed rows of a scene whose conditions hold; nil if the scene lists no rows.
    public func fixedRows(of scene: Scene) -> [FixedRow]? {
        guard scene.hasConditions else { return scene.fixedRows }
        return scene.fixedRows?.filter { holds($0.when) }
    }

    /// Returns the screen that a view controller shows. Only the fixed rows whose conditions hold
    /// count.
    public func screen(of viewController: ViewController) -> Screen {
        guard viewController.scene.hasConditions,
            let rows = fixedRows(of: viewController.scene)
        else { return viewController.screen }
        return .table(numberOfRows: rows.count)
    }

    /// Returns the number of rows if a view controller shows a table; 0 if it shows another screen.
    func numberOfRows(of viewController: ViewController) -> Int {
        if case .table(let count) = screen(of: viewController) { count } else { 0 }
    }

    /// Returns those rows of the visible table whose indices are in `range`. The range may extend
    /// beyond the last row. The result is empty if the screen shows no table.
    public func rows(_ range: Range<Int>, in app: App) -> [Row] {
        let table = topViewController
        return app.rows(range, of: table, fixed: fixedRows(of: table.scene))
    }
}
